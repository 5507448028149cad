import * as z from 'zod';

/**
 * Turns what came over the wire into what the contract shows: its fields in its order, absent nullable ones as null, absent optional ones not
 * at all, nothing else.
 */
export type Shape = (value: unknown) => unknown;

/** Compiles the presentation of a schema once, so that a request costs one pass over its fields. */
export function presenter(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = presenter(schema.unwrap() as z.ZodType);
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodArray) {
    const element = presenter(schema.element as z.ZodType);
    return (value) => (Array.isArray(value) ? value.map(element) : []);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => ({
      name,
      present: leafOr(field as z.ZodType),
      isOptional: field instanceof z.ZodOptional,
    }));
    return (value) => {
      const from = value as Record<string, unknown>;
      const shown: Record<string, unknown> = {};
      for (const { name, present, isOptional } of fields) {
        const field = from[name];
        if (isOptional && (field === undefined || field === null)) continue;
        shown[name] = present === undefined ? (field ?? null) : present(field);
      }
      return shown;
    };
  }
  if (schema instanceof z.ZodRecord) return named;
  return (value) => value ?? null;
}

/** Names that are data travel as a list, each with its values: one stands for itself. Any name is a field of its own, "__proto__" too. */
const named: Shape = (value) =>
  Object.fromEntries(
    (value as readonly { name: string; values: readonly unknown[] }[]).map(({ name, values }) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

/** Nothing to do for a plain value: most fields are, and a call less for each of a thousand is worth a branch. */
function leafOr(schema: z.ZodType): Shape | undefined {
  const bare = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  return bare instanceof z.ZodArray || bare instanceof z.ZodObject || bare instanceof z.ZodRecord ? presenter(schema) : undefined;
}
