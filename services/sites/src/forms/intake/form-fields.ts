import type { NamedValues } from '@webkiln/contract';
import { FormRefusal } from './form-refusal.ts';

/** Controls of a form: inputs whose names begin with "_". */
export interface FormControls {
  /** The page to redirect the visitor to. */
  readonly next: string | undefined;
  /** The hidden honeypot field was filled in. */
  readonly trapped: boolean;
}

const maxFields = 100;
const maxNameLength = 100;
const maxValueLength = 10_000;
/** Bounds all names and values as JSON, in UTF-8, so that `form.submitted` is within the limit of an event. */
const maxTextBytes = 40 * 1024;
/** With what JSON adds to 100 fields of that text. */
const maxFieldsBytes = 44 * 1024;

/**
 * Splits entries into fields and controls, in their order. Line breaks become "\n". Other control characters and lone
 * surrogates are removed, because they break systems that process submissions. Throws a `FormRefusal`.
 */
export function readFields(entries: Iterable<readonly [name: string, value: string]>): { fields: NamedValues[]; controls: FormControls } {
  const fields = new Map<string, string[]>();
  let next: string | undefined;
  let trapped = false;
  let [count, bytes] = [0, 0];
  for (const [rawName, rawValue] of entries) {
    const name = nameOf(rawName);
    if (name === '_next') next = rawValue;
    else if (name === '_gotcha') trapped ||= rawValue.trim() !== '';
    if (name === '' || name.startsWith('_')) continue;
    const value = textOf(rawValue);
    if (++count > maxFields) throw new FormRefusal('too_many_fields');
    if (name.length > maxNameLength || value.length > maxValueLength) throw new FormRefusal('field_too_long');
    bytes += jsonBytes(name) + jsonBytes(value);
    if (bytes > maxTextBytes) throw new FormRefusal('too_large');
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  const filled = [...fields].map(([name, values]) => ({ name, values }));
  if (!filled.some(({ values }) => values.some((value) => value.trim() !== ''))) throw new FormRefusal('empty');
  return { fields: filled, controls: { next, trapped } };
}

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
