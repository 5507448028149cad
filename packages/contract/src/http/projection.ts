import * as z from 'zod';

/** A public record as its service holds it: the id is `_id`, and computed fields are not in it. */
export type StateOf<S extends z.ZodObject, Computed = object> = Omit<z.output<S>, 'id' | (keyof Computed & string)> & {
  readonly _id: string;
};

/** A record as it is shown: times are ISO 8601. */
type Shown<R> = { [K in keyof R]: Date extends R[K] ? Exclude<R[K], Date> | string : R[K] };

/**
 * Compiles the projection of a stored record onto the fields of its public schema, in their order. `_id` is shown as
 * `id`, dates as ISO 8601; `computed` fields are null until the caller sets them. The result is an object literal, as
 * if written by hand: a loop over the names takes more than ten times as long per record.
 */
export function createProjection<S extends z.ZodObject, Computed extends { readonly [K in keyof z.output<S>]?: true } = object>(
  schema: S,
  computed: Computed = {} as Computed,
): (held: StateOf<S, Computed>) => Shown<z.output<S>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const value = name in computed ? 'null' : expressionOf(`held[${JSON.stringify(name === 'id' ? '_id' : name)}]`, field as z.ZodType);
    return `${JSON.stringify(name)}: ${value}`;
  });
  return new Function('held', `return { ${fields.join(', ')} };`) as (held: StateOf<S, Computed>) => Shown<z.output<S>>;
}

function expressionOf(held: string, field: z.ZodType): string {
  if (field instanceof z.ZodDate) return `${held}.toISOString()`;
  return field instanceof z.ZodNullable && field.unwrap() instanceof z.ZodDate ? `${held}?.toISOString() ?? null` : held;
}

type WithDates<Shape> = {
  [K in keyof Shape]: Shape[K] extends z.ZodISODateTime
    ? z.ZodDate
    : Shape[K] extends z.ZodNullable<z.ZodISODateTime>
      ? z.ZodNullable<z.ZodDate>
      : Shape[K];
};

/** The schema of a public record as services hold it that store its times as dates, not as text. */
export function withDates<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const dated = Object.entries(shape).map(([name, field]) => {
    if (field instanceof z.ZodISODateTime) return [name, z.date()];
    return [name, field instanceof z.ZodNullable && field.unwrap() instanceof z.ZodISODateTime ? z.date().nullable() : field];
  });
  return z.object(Object.fromEntries(dated)) as unknown as z.ZodObject<WithDates<Shape>>;
}

/** The fields that the body of an operation may name. */
export const inputFields = <Shape extends z.ZodRawShape>({ input }: { readonly input: z.ZodObject<Shape> }) =>
  Object.keys(input.shape) as (keyof Shape & string)[];
