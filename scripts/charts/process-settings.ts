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
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly setBy: SetBy;
}

/** A process, and the settings that it reads. */
export interface KnownProcess {
  readonly facts: ProcessFacts;
  readonly settings: readonly ProcessSetting[];
}

/** What is read of the zod schema of an environment. */
interface Config {
  readonly shape: Readonly<
    Record<string, { readonly description?: string | undefined; safeParse(value: unknown): { readonly success: boolean } }>
  >;
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
  return Object.entries(config.shape).map(([setting, schema]) => ({
    name: setting,
    description: schema.description,
    isRequired: !schema.safeParse(undefined).success,
    setBy: setBy(setting),
  }));
}
