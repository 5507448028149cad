import * as z from 'zod';

/** Secrets, newest first: the first one is used for what is new, and each one verifies what was made with it. */
export type SecretList<T = string> = readonly [first: T, ...older: T[]];

const listed = /^(?<id>[\w-]{1,32}):(?<text>.+)$/;

/**
 * `id:secret,id:secret`, or one secret alone. `parse` returns undefined for a secret that breaks `rule`; a text whose
 * entries do not all have that form is one secret. Ids only name secrets to operators: a secret keeps its meaning
 * with an id before it.
 */
const secretList = <T>(rule: string, parse: (text: string) => T | undefined) => {
  const error = `${rule}; several are written as id:secret with commas between, each id once`;
  return z.string({ error }).transform((text, context): SecretList<T> => {
    const entries = text.split(',').map((entry) => listed.exec(entry)?.groups);
    const isList = entries.every((entry) => parse(entry?.text ?? '') !== undefined);
    const secrets = (isList ? entries.map((entry) => entry?.text ?? '') : [text]).flatMap((entry) => parse(entry) ?? []);
    const ids = new Set(entries.map((entry) => entry?.id));
    const [first, ...older] = secrets;
    if (first !== undefined && (!isList || ids.size === entries.length)) return [first, ...older];
    context.addIssue(error);
    return z.NEVER;
  });
};

const minLength = 32;

/** Secrets of at least 32 characters. */
export const TextSecrets = secretList(`must have at least ${minLength} characters`, (text) =>
  text.length >= minLength ? text : undefined,
);

/** Secrets of at least 32 bytes, as base64. */
export const ByteSecrets = secretList(`must be base64 of at least ${minLength} bytes`, (text): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return z.base64().safeParse(text).success && bytes.length >= minLength ? bytes : undefined;
});
