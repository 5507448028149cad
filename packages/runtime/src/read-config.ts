import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { logger } from './logger.ts';
import { sendsPasswordInClear } from './store-url.ts';

/** The environment is invalid: the message names each variable and its rule, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Marks a setting as a secret. Call `.meta(secret)` last: zod's wrappers hide the metadata of what they wrap. */
export const secret = { secret: true };

/** The names of a schema's secret settings; each may be given as `<NAME>_FILE`. */
export const secretSettings = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, setting]) => ((setting as z.ZodType).meta()?.secret === true ? [name] : []));

/**
 * Reads the variables of a schema from the environment; an empty one counts as absent. A secret may be given as
 * `<NAME>_FILE`, the path of a file that holds it; one newline at the file's end is dropped. Warns of URLs that send
 * their password in the clear. Throws `ConfigError`.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv = process.env): z.output<S> {
  const given = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, env[name] || undefined]));
  const unread: string[] = [];
  for (const name of secretSettings(schema)) {
    const path = env[fileSetting(name)];
    if (!path) continue;
    const text = given[name] === undefined ? textOf(path) : undefined;
    if (text) given[name] = text;
    else
      unread.push(
        `  ${fileSetting(name)} must be ${given[name] === undefined ? 'the path of a file that this process can read and that is not empty' : `unset where ${name} is set`}`,
      );
  }
  if (unread.length > 0) throw invalid(unread);
  const result = schema.safeParse(given);
  if (result.success) {
    for (const setting of secretSettings(schema)) if (sendsPasswordInClear(given[setting] ?? '')) logger.warn({ setting }, inTheClear);
    return result.data;
  }
  throw invalid(
    result.error.issues.map(({ path: [name = ''], message }) => {
      const missing = given[String(name)] === undefined;
      return `  ${String(name)}${missing ? ' is not set:' : ''} ${message}`;
    }),
  );
}

/**
 * Checks the variables that are set against every schema that has them, each by itself. Throws `ConfigError` with one
 * line for each wrong one.
 */
export function checkGiven(schemas: readonly z.ZodObject[], env: NodeJS.ProcessEnv = process.env): void {
  const wrong = schemas.flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([name, setting]) => {
      const { error } = env[name] ? (setting as z.ZodType).safeParse(env[name]) : {};
      return error === undefined ? [] : [`  ${name} ${error.issues[0]?.message}`];
    }),
  );
  if (wrong.length > 0) throw invalid([...new Set(wrong)]);
}

const inTheClear = 'the password in this URL is sent over the network in the clear; let the URL require TLS';

const fileSetting = (name: string) => `${name}_FILE`;

const invalid = (lines: readonly string[]) =>
  new ConfigError(`The configuration in the environment needs correcting:\n${lines.join('\n')}`);

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    return;
  }
}
