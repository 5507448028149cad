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
  $regex?: string;
  $options?: string;
}

/** Operators that stand in our source. Only this class makes operators: a value out of a request is data, whatever it looks like. */
export class Condition<V> {
  readonly operators: Operators<V>;

  constructor(operators: Operators<V>) {
    this.operators = operators;
  }
}

/** `{ used: where({ $lt: plan.max_sites }) }` */
export const where = <V>(operators: Operators<V>): Condition<V> => new Condition(operators);

/** That a field lies from one value on and before another, each where it is given: `...between('created_at', from, to)`. */
export function between<K extends string, V>(field: K, from: V | undefined, before: V | undefined): { [F in K]?: Condition<V> } {
  if (from === undefined && before === undefined) return {};
  const condition = where<V>({ ...(from !== undefined && { $gte: from }), ...(before !== undefined && { $lt: before }) });
  return { [field]: condition } as { [F in K]?: Condition<V> };
}

/** Text that has `part` in it, whatever its case. */
export const containing = (part: string): Condition<string> =>
  new Condition({ $regex: part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), $options: 'i' });

/** Which records: each field equals the value, or meets the condition. */
export type Filter<R> = { readonly [K in keyof R]?: R[K] | Element<R[K]> | Condition<Element<NonNullable<R[K]>> | R[K]> };

/** The filter as MongoDB takes it. Throws on an absent value, which would silently widen what is matched. */
export function compiled<R>(filter: Filter<R>): Record<string, object> {
  return Object.fromEntries(
    Object.entries<unknown>(filter).map(([field, value]) => {
      if (value === undefined) throw new TypeError(`filter without a value for ${field}`);
      return [field, value instanceof Condition ? value.operators : { $eq: value }];
    }),
  );
}
