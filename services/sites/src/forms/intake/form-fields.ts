import { FormRefusal } from './form-refusal.ts';

/** A field of a form: a name, and what was filled in, once or (boxes that are ticked) several times. */
export interface FormField {
  name: string;
  values: string[];
}

/** What a form says besides its fields, by names that begin with "_". */
export interface FormControls {
  /** Where the visitor is to go next. */
  readonly next: string | undefined;
  /** Somebody filled in what people do not see. */
  readonly trapped: boolean;
}

const fieldsMost = 100;
const nameLengthMost = 100;
const valueLengthMost = 10_000;
/** Of all names and values, in UTF-8: a byte that is none becomes three. */
const textBytesMost = 256 * 1024;

/**
 * The fields and controls among the names and values that a form sent, in its order. Line breaks are "\n"; other control characters and
 * halves of characters are left out, since they break receivers further on. Throws a `FormRefusal`.
 */
export function readFields(entries: Iterable<readonly [name: string, value: string]>): { fields: FormField[]; controls: FormControls } {
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
    if (++count > fieldsMost) throw new FormRefusal('too_many_fields');
    if (name.length > nameLengthMost || value.length > valueLengthMost) throw new FormRefusal('field_too_long');
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (bytes > textBytesMost) throw new FormRefusal('too_large');
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  const filled = [...fields].map(([name, values]) => ({ name, values }));
  if (!filled.some(({ values }) => values.some((value) => value.trim() !== ''))) throw new FormRefusal('empty');
  return { fields: filled, controls: { next, trapped } };
}

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
