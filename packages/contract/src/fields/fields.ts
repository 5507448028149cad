import * as z from 'zod';
import type {} from 'zod-openapi';
import { agentTexts } from '../agents/agent-texts.ts';
import { hints } from '../http/parameter-warnings.ts';
import { wire } from '../wire/wire.ts';
import { emailAddress, httpUrl, network, plainText, uri, visibleText } from './patterns.ts';

/** No text may have a NUL or a lone surrogate: they break receivers, logs and look-ups. */
const wellFormed = (text: string) => text.isWellFormed() && !text.includes('\0');
const brokenText = 'must be valid Unicode text without NUL characters';

/** Counts characters as JSON Schema does, by code point, so that a limit means the same to both. */
const limited = (max: number) =>
  z
    .string({ error: 'must be a string' })
    .refine((value) => value.length <= max || (value.length <= 2 * max && [...value].length <= max), `must have at most ${max} characters`)
    .refine(wellFormed, brokenText);

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;

/** Text of 1 to `max` characters that shows something. */
export const text = (max: number) =>
  limited(max)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .refine((value) => value.trim() === '' || visible.test(value), 'must have a character that can be seen')
    .meta({ override: { minLength: 1, maxLength: max, pattern: visibleText } });

/** Text that may be empty. */
export const optionalText = (max: number) => limited(max).meta({ override: { maxLength: max, pattern: plainText } });

export const Uuid = z.uuid({ error: 'must be a UUID' });
export const embedClientIdForm = /^emb_[0-9a-f]{32}$/;
export const EmbedClientId = z.string().regex(embedClientIdForm, 'must be the id of an embed client');
/** The id of the record that it stands in. */
export const RecordId = Uuid.describe('Names the record in paths and in other records; it never changes');
export const Timestamp = z.iso.datetime();
export const CreatedAt = Timestamp.describe('When it was made, ISO 8601 in UTC; it never changes');
/** The answer to a DELETE. */
export const Deleted = z
  .object({
    deleted: z.boolean().describe('Always true: what was not there is 404'),
    id: Uuid.describe('The id of what was deleted'),
  })
  .meta({ id: 'Deleted', description: 'The record is gone, and its id is never given again' });
/** A moment that a caller names: ISO 8601 with a time zone. */
export const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-03-01T00:00:00Z' });

const day = /^\d{4}-\d{2}-\d{2}$/;
/** A `+` that was not encoded: in a query it means a space. */
const lostPlus = / (?=\d{2}:?\d{2}$)/;

/**
 * The moment that a query names; undefined if it names none, null (which matches nothing) if it is malformed. A day is
 * its beginning in UTC, and the space before an offset is the `+` that was meant.
 */
export function momentOf(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const moment = day.test(text) ? `${text}T00:00:00Z` : text.replace(lostPlus, '+');
  return Moment.safeParse(moment).success ? new Date(moment) : null;
}
/** The address with an internationalized domain in ASCII (UTS #46), as browsers and mail servers send it. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (at === 0 || !/\P{ASCII}/u.test(domain)) return address;
  // Nothing in it may end the host of a URL.
  const host = /[\s/?#\\:@%[\]]/.test(domain) ? undefined : URL.parse(`http://${domain}`)?.hostname;
  return host === undefined ? address : address.slice(0, at) + host;
}

export const Email = z
  .string({ error: 'must be an email address' })
  .transform(withAsciiDomain)
  .pipe(z.string().max(254, 'must have at most 254 characters'))
  .pipe(z.email({ pattern: new RegExp(emailAddress), error: 'must be an email address' }))
  .meta({ override: { type: 'string', format: 'email', maxLength: 254, pattern: emailAddress } });
export const Name = text(200);
export const Description = optionalText(2000);
/** How long a replaced secret still works. */
export const GraceHours = z.int('must be a whole number').min(0, 'must be at least 0').max(24, 'must be at most 24');
export const HttpUrl = z
  .string({ error: 'must be a URL' })
  .max(2048, 'must have at most 2048 characters')
  .pipe(
    z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .regex(new RegExp(uri), 'must be ASCII, with other characters percent-encoded'),
  )
  .meta({ override: { type: 'string', maxLength: 2048, pattern: httpUrl } });
export const Flag = z.boolean({ error: 'must be true or false' });
/** A count that fits the wire's int32. */
export const count = (min = 0) =>
  z.int({ error: 'must be a whole number' }).min(min, `must be at least ${min}`).max(1_000_000, 'must be at most 1000000');
export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

/** A whole number in a query, clamped to its range; `fallback` if it is absent or malformed. */
export const clamped = <F extends number | undefined>(what: string, fallback: F, min: number, max: number) =>
  z
    .string()
    .optional()
    .transform((value): number | F => {
      const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
      return Number.isNaN(number) ? fallback : Math.min(Math.max(Math.trunc(number), min), max);
    })
    .meta({
      // Lenient, so the schema says what counts, and the description what becomes of anything else.
      description: `${what}, ${min} to ${max}${fallback === undefined ? '' : `; ${fallback} by default`}. A number out of range is clamped, other text ignored`,
      override: { type: 'integer', minimum: min, maximum: max, ...(fallback === undefined ? {} : { default: fallback }) },
    })
    .register(wire, { as: fallback === undefined ? z.int().optional() : z.int() })
    .register(hints, { of: (text) => (isWhole(text, min, max) ? undefined : `takes whole numbers from ${min} to ${max}`) });

const isWhole = (text: string, min: number, max: number) => /^-?\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max;

/** A query parameter with a few values; a list filtered by another value is empty. */
export const filter = (...values: readonly string[]) =>
  z
    .string()
    .optional()
    .register(hints, { of: (text) => (values.includes(text) ? undefined : `takes ${values.join(' | ')}`) });

/** A moment in a query: see `momentOf`. */
export const moment = () =>
  z
    .string()
    .optional()
    .register(hints, {
      of: (text) => {
        if (momentOf(text) === null) return 'takes a time such as 2026-03-01T00:00:00Z';
        return lostPlus.test(text) ? 'the space was read as the + of a time zone; send it as %2B' : undefined;
      },
    });

const anyUuid = '018f0000-0000-7000-8000-000000000001';

/** The id of a record in a query; a list filtered by other text is empty. */
export const idFilter = () =>
  z
    .string()
    .optional()
    .register(hints, { of: (text) => (Uuid.safeParse(text).success ? undefined : `takes an id such as ${anyUuid}`) });

/** A text in a query that matches a pattern; a list filtered by another one is empty. */
export const patternFilter = (pattern: RegExp, takes: string) =>
  z
    .string()
    .optional()
    .register(hints, { of: (text) => (pattern.test(text) ? undefined : `takes ${takes}`) });

const lastOffset = 2_147_483_647;
/** Skipping records costs the database work for each; the pages behind are reached by `cursor`. */
export const maxOffset = 100_000;
const offsetText = `How many records to skip; 0 by default. One beyond ${maxOffset} counts as ${maxOffset}, unless there is a \`cursor\`; other text is ignored`;
/** A larger `offset` counts as `maxOffset`, so links to the pages behind keep it. */
const offsetHint = {
  of: (text: string) =>
    !isWhole(text, 0, lastOffset)
      ? 'takes whole numbers from 0'
      : Number(text) > maxOffset
        ? `at most ${maxOffset}; follow rel="next" of the Link header to go further`
        : undefined,
};
/** A cursor is a list of texts and numbers as JSON in base64url. */
const cursorForm = /^W[yz][\w-]+$/;
const cursor = z
  .string()
  .optional()
  .describe('From the `next` link of the page before: this page begins where that one ended, at any depth, and `offset` only numbers it')
  .register(hints, {
    of: (text) => (cursorForm.test(text) ? undefined : 'not one that a page named; this is the first page'),
  });

/** The length of a list: see KeptTotals in packages/store. */
export const Total = z
  .int()
  .min(0)
  .describe(
    'How many match. Exact up to 1,000. Beyond, it is a few seconds old, but has your own changes in it; of a search, or a list between two times, it is 1,001 and means "more than 1,000"',
  )
  .register(agentTexts, {
    text: 'How many match. Exact up to 1,000. Beyond, it is a few seconds old, but has your own changes in it; of a search, or a list between two times, it is 1,001 and means "more than 1,000"',
  });

/**
 * `GET /projects`: pages of 50, at most 100. Values out of range are clamped, malformed ones defaulted: GET has no 400.
 */
export const Page = {
  limit: clamped('How many records a page has', 50, 1, 100),
  offset: clamped('Records to skip', 0, 0, lastOffset).describe(offsetText).register(hints, offsetHint),
  cursor,
};
/** All other lists: everything (at most `wholeListCap`) unless a page is requested. */
export const OptionalPage = {
  limit: clamped('How many records the page has (without it all, at most 1,000)', undefined, 1, 100),
  offset: clamped('Records to skip', undefined, 0, lastOffset)
    .describe(offsetText)
    .register(wire, { as: z.int() })
    .register(hints, offsetHint),
  cursor,
};
export const wholeListCap = 1000;

/** The languages of the dashboard, the pages and the mails, by their ISO 639-1 codes. */
export const languages = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof languages)[number];
export const defaultLanguage: Language = 'en';

export const Language = oneOf(languages).meta({ id: 'Language', description: 'A language of pages and mails, by its ISO 639-1 code' });

/** A language that another service names; English for one that it does not name, or that is newer than this program. */
export const knownLanguage = (code: string): Language => languages.find((language) => language === code) ?? defaultLanguage;

const maxCharacters = 43;

/** An IP address, or a network in CIDR notation (RFC 4632, RFC 4291 §2.3). */
export const Network = z
  .string({ error: 'must be a string' })
  .max(maxCharacters, `must have at most ${maxCharacters} characters`)
  .regex(new RegExp(network), 'must be an IP address or a network, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32')
  .meta({ override: { type: 'string', maxLength: maxCharacters, pattern: network } });

export const AccentColor = z.string({ error: 'must be a string' }).regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color such as #1a2b3c');

/** WCAG 2.2: relative luminance, 0 to 1, of a color as `AccentColor` has it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever has the higher WCAG 2.2 contrast ratio on the color: always at least 4.58 to 1. */
export function textColorOn(color: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(color);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}
