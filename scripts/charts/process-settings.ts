import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ProcessName } from '../../packages/messages/src/index.ts';
import { factsOf, type ProcessFacts } from './process-facts.ts';

/** Settings that belong into a Secret: a store's URL has a password in it. */
const secretSettings: ReadonlySet<string> = new Set([
  ...['MONGODB_URL', 'NATS_URL', 'REDIS_URL', 'SMTP_URL', 'MODEL_PROVIDERS'],
  ...['KEY_PEPPER', 'AUTH_SECRET', 'INVITATION_SECRET', 'PREVIEW_SECRET', 'WEBHOOK_SECRET_KEYS'],
  ...['PRINCIPAL_SIGNING_KEY', 'PRINCIPAL_TRUSTED_KEYS'],
]);
/** The image knows where the files of the dashboard and the docs site are. */
const imageSettings: ReadonlySet<string> = new Set(['DASHBOARD_DIR', 'DOCS_DIR']);

/** Who sets a setting of a process: its chart, its image, its Secret, or the installation's values. */
type SetBy = 'chart' | 'image' | 'secret' | 'values';

export interface ProcessSetting {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What its value must be, as its process says of a wrong one: "be a port, 0 to 65535". Empty if any text will do. */
  readonly rule: string;
  /** As it would be given; undefined if there is none. */
  readonly byDefault: string | undefined;
  readonly setBy: SetBy;
}

/** A process, and the settings that it reads. */
export interface KnownProcess {
  readonly facts: ProcessFacts;
  readonly settings: readonly ProcessSetting[];
}

/** The parts of a schema that lead to its default; zod's types of them differ for each kind. */
interface Definition {
  readonly defaultValue?: unknown;
  readonly in?: { readonly def: Definition };
  readonly innerType?: { readonly def: Definition };
}

/** What is read of the zod schema of a setting. */
interface Schema {
  readonly description?: string | undefined;
  readonly def: Definition;
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly issues: readonly { readonly message: string }[] } };
}

interface Config {
  readonly shape: Readonly<Record<string, Schema>>;
}

const root = path.resolve(import.meta.dirname, '../..');
const pascal = (name: string) => name.replaceAll(/(^|-)(\w)/g, (_match, _dash, letter: string) => letter.toUpperCase());

/** The settings of a process, from the schema by which it reads its environment. */
export async function settingsOf(name: ProcessName): Promise<ProcessSetting[]> {
  const folder = name === 'gateway' ? name : `services/${name}`;
  const config = (await import(path.join(root, folder, 'src/config.ts')))[`${pascal(name)}Config`] as Config;
  const fixed: Readonly<Record<string, string>> = { BIND_ADDRESS: '', ...factsOf(name).env };
  const setBy = (setting: string): SetBy =>
    setting in fixed ? 'chart' : imageSettings.has(setting) ? 'image' : secretSettings.has(setting) ? 'secret' : 'values';
  return Object.entries(config.shape).map(([setting, schema]) => {
    const { description } = schema;
    if (description === undefined) throw new Error(`${setting} of ${name} has no description`);
    const isRequired = !schema.safeParse(undefined).success;
    return { name: setting, description, isRequired, rule: ruleOf(schema), byDefault: defaultOf(schema), setBy: setBy(setting) };
  });
}

/** Nothing takes all of these. */
const wrongValues = ['\u0000', '-1.5', '*'];

function ruleOf(schema: Schema): string {
  const messages = wrongValues.map((value) => schema.safeParse(value).error?.issues[0]?.message);
  return messages.find((message) => message !== undefined)?.replace(/^must /, '') ?? '';
}

function defaultOf(schema: Schema): string | undefined {
  let definition: Definition | undefined = schema.def;
  while (definition !== undefined && definition.defaultValue === undefined) definition = (definition.in ?? definition.innerType)?.def;
  // The folder of temporary files is each machine's own.
  return definition === undefined || definition.defaultValue === tmpdir() ? undefined : String(definition.defaultValue);
}
