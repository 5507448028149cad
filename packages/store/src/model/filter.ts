type Element<V> = V extends readonly (infer E)[] ? E : V;

interface Operators<V> {
  $lt?: V;
  $lte?: V;
  $gt?: V;
  $gte?: V;
  $ne?: V;
  $in?: readonly V[];
  $nin?: readonly V[];
  $exists?: boolean;
  $not?: Operators<V>;
  $regex?: string;
  $options?: string;
}

/**
 * Operators written in our source. Only this class creates operators: a value from a request is data, whatever it looks
 * like.
 */
export class Condition<V> {
  readonly operators: Operators<V>;

  constructor(operators: Operators<V>) {
    this.operators = operators;
  }
}

/** `{ used: where({ $lt: plan.max_sites }) }` */
export const where = <V>(operators: Operators<V>): Condition<V> => new Condition(operators);

/** A field from one value (inclusive) to another (exclusive), each if given: `...between('created_at', from, to)`. */
export function between<K extends string, V>(field: K, from: V | undefined, before: V | undefined): { [F in K]?: Condition<V> } {
  if (from === undefined && before === undefined) return {};
  const condition = where<V>({ ...(from !== undefined && { $gte: from }), ...(before !== undefined && { $lt: before }) });
  return { [field]: condition } as { [F in K]?: Condition<V> };
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * The forms in which a text may be written (UAX #15): composed, and decomposed, as macOS writes names of files. One if
 * they are the same.
 */
export const formsOf = (text: string): string[] => [...new Set([text.normalize('NFC'), text.normalize('NFD')])];

const character = /\P{M}\p{M}*|\p{M}+/gu;

/** Text that contains `part`, in any case and either form. */
export function containing(part: string): Condition<string> {
  const characters = (part.normalize('NFC').match(character) ?? []).map((each) => formsOf(each).map(literal));
  const pattern = characters.map((forms) => (forms.length === 1 ? forms[0] : `(?:${forms.join('|')})`)).join('');
  return new Condition({ $regex: pattern, $options: 'i' });
}

/** Text that starts with `part`; an index serves it. */
export const startingWith = (part: string): Condition<string> => new Condition({ $regex: `^${literal(part)}` });

/** Matches records in which each field equals the value or meets the condition. */
export type Filter<R> = { readonly [K in keyof R]?: R[K] | Element<R[K]> | Condition<Element<NonNullable<R[K]>> | R[K]> };

/** The filter for MongoDB. Throws on an undefined value, which would silently match more records. */
export function compiled<R>(filter: Filter<R>): Record<string, object> {
  return Object.fromEntries(
    Object.entries<unknown>(filter).map(([field, value]) => {
      if (value === undefined) throw new TypeError(`filter without a value for ${field}`);
      return [field, value instanceof Condition ? value.operators : { $eq: value }];
    }),
  );
}
