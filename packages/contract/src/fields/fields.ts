import * as z from 'zod';
import type {} from 'zod-openapi';

/** A NUL or a lone surrogate breaks receivers, logs and look-ups further on: no text carries one. */
const wellFormed = (text: string) => text.isWellFormed() && !text.includes('\0');
const brokenText = 'must be valid Unicode text without NUL characters';

/** Text of 1 to `max` characters, not blank. */
export const text = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .max(max, `must have at most ${max} characters`)
    .refine(wellFormed, brokenText)
    .refine((value) => value.trim() !== '', 'must not be empty');

/** Text that may be empty. */
export const optionalText = (max: number) =>
  z.string({ error: 'must be a string' }).max(max, `must have at most ${max} characters`).refine(wellFormed, brokenText);

export const Uuid = z.uuid({ error: 'must be a UUID' });
export const embedClientIdForm = /^emb_[0-9a-f]{32}$/;
export const EmbedClientId = z.string().regex(embedClientIdForm, 'must be the id of an embed client');
export const Timestamp = z.iso.datetime();
/** A moment that a caller names: ISO 8601 with a time zone. */
export const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-03-01T00:00:00Z' });

/** The moment that a query names; undefined where it names none, null for what is no moment: then nothing matches. */
export function momentOf(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  return Moment.safeParse(text).success ? new Date(text) : null;
}
export const Email = z
  .string({ error: 'must be an email address' })
  .max(254, 'must have at most 254 characters')
  .pipe(z.email({ error: 'must be an email address' }));
export const Name = text(200);
export const Description = optionalText(2000);
/** For how long what is replaced still works. */
export const GraceHours = z.int('must be a whole number').min(0, 'must be at least 0').max(24, 'must be at most 24');
export const HttpUrl = z
  .string({ error: 'must be a URL' })
  .max(2048, 'must have at most 2048 characters')
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }));
export const Flag = z.boolean({ error: 'must be true or false' });
/** A count that fits the wire's int32. */
export const count = (min = 0) =>
  z.int({ error: 'must be a whole number' }).min(min, `must be at least ${min}`).max(1_000_000, 'must be at most 1000000');
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

/** A whole number of a query, clamped to its range; `fallback` where it is absent or no number. */
export const clamped = <F extends number | undefined>(fallback: F, min: number, max: number) =>
  z
    .string()
    .optional()
    .transform((value): number | F => {
      const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
      return Number.isNaN(number) ? fallback : Math.min(Math.max(Math.trunc(number), min), max);
    })
    .meta({ override: { type: 'integer', minimum: min, maximum: max, ...(fallback === undefined ? {} : { default: fallback }) } });

const lastOffset = 2_147_483_647;

/** `GET /projects`: pages of 50, at most 100. What is out of range is clamped, what is no number defaulted: GET has no 400. */
export const Page = { limit: clamped(50, 1, 100), offset: clamped(0, 0, lastOffset) };
/** Every other list: everything (at most `wholeListCap`) unless a page is asked for. */
export const OptionalPage = { limit: clamped(undefined, 1, 100), offset: clamped(undefined, 0, lastOffset) };
export const wholeListCap = 1000;
