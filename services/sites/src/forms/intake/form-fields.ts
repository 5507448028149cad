import type { NamedValues } from '@webkiln/contract';
import { FormRefusal } from './form-refusal.ts';

/** Controls of a form: inputs whose names begin with "_". */
export interface FormControls {
  /** The page to redirect the visitor to. */
  readonly next: string | undefined;
  /** The hidden honeypot field was filled in. */
  readonly trapped: boolean;
  /** What its mail is about, in place of the form's name. */
  readonly subject?: string;
}

/** Fields that Netlify's forms have for the platform. */
interface NetlifyFields {
  /** The name of the field that people leave empty. */
  readonly honeypot: string;
}

/** What scripts of captchas add; nobody reads it. */
const captchaFields: ReadonlySet<string> = new Set(['g-recaptcha-response', 'h-captcha-response', 'cf-turnstile-response']);
export const formNameField = 'form-name';
const maxSubjectLength = 200;

const maxFields = 100;
const maxNameLength = 100;
const maxValueLength = 10_000;
/** Bounds all names and values as JSON, in UTF-8, so that `form.submitted` is within the limit of an event. */
const maxTextBytes = 40 * 1024;
/** With what JSON adds to 100 fields of that text. */
const maxFieldsBytes = 44 * 1024;

/**
 * Splits entries into fields and controls, in their order. Line breaks become "\n". Other control characters and lone
 * surrogates are removed, because they break systems that process submissions. Formspree's `_replyto` is the field
 * `email`, or `reply_to` beside one. `netlify` is given for a form of Netlify's, whose field `subject` is what its mail
 * is about. Throws a `FormRefusal`.
 */
export function readFields(
  entries: Iterable<readonly [name: string, value: string]>,
  netlify?: NetlifyFields,
): { fields: NamedValues[]; controls: FormControls } {
  const fields = new Map<string, string[]>();
  const given: { next?: string; subject?: string; replyTo?: string } = {};
  let trapped = false;
  let [count, bytes] = [0, 0];
  const add = (name: string, value: string) => {
    if (++count > maxFields) throw new FormRefusal('too_many_fields');
    if (name.length > maxNameLength || value.length > maxValueLength) throw new FormRefusal('field_too_long');
    bytes += jsonBytes(name) + jsonBytes(value);
    if (bytes > maxTextBytes) throw new FormRefusal('too_large');
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  };
  for (const [rawName, rawValue] of entries) {
    const name = nameOf(rawName);
    if (name === '_next') given.next = rawValue;
    else if (name === '_subject') given.subject = rawValue;
    else if (name === '_replyto') given.replyTo = textOf(rawValue).trim();
    else if (name === '_gotcha' || name === netlify?.honeypot) trapped ||= rawValue.trim() !== '';
    else if (name === '' || name.startsWith('_') || captchaFields.has(name) || (netlify && name === formNameField)) continue;
    else add(name, textOf(rawValue));
  }
  if (given.replyTo) add([...fields.keys()].some((name) => name.toLowerCase() === 'email') ? 'reply_to' : 'email', given.replyTo);
  const subject = subjectOf(given.subject ?? (netlify && fields.get('subject')?.[0]));
  const filled = [...fields].map(([name, values]) => ({ name, values }));
  if (!filled.some(({ values }) => values.some((value) => value.trim() !== ''))) throw new FormRefusal('empty');
  return { fields: filled, controls: { next: given.next, trapped, ...(subject !== '' && { subject }) } };
}

const subjectOf = (text = '') => nameOf(text).slice(0, maxSubjectLength).toWellFormed();

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text));

/** False for what was stored before the limit, which no event can carry. */
export const fitsAnEvent = (fields: readonly NamedValues[]): boolean => Buffer.byteLength(JSON.stringify(fields)) <= maxFieldsBytes;

const nameOf = (name: string) =>
  name
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();

const textOf = (value: string) =>
  value
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]+/gu, '');
