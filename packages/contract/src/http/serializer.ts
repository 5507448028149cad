import * as z from 'zod';

/**
 * Converts an RPC reply to the JSON of the contract: exactly the fields of the schema, in their order. An absent
 * nullable field is null; an absent optional field is left out.
 */
export type Serializer = (value: unknown) => unknown;

/** Compiles a serializer at start, so that a request costs one pass over its fields. */
export function createSerializer(schema: z.ZodType): Serializer {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = createSerializer(schema.unwrap() as z.ZodType);
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodArray) {
    const element = createSerializer(schema.element as z.ZodType);
    return (value) => (Array.isArray(value) ? value.map(element) : []);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => ({
      name,
      serialize: serializerOfNested(field as z.ZodType),
      isOptional: field instanceof z.ZodOptional,
    }));
    return (value) => {
      const from = value as Record<string, unknown>;
      const shown: Record<string, unknown> = {};
      for (const { name, serialize, isOptional } of fields) {
        const field = from[name];
        if (isOptional && (field === undefined || field === null)) continue;
        shown[name] = serialize === undefined ? (field ?? null) : serialize(field);
      }
      return shown;
    };
  }
  if (schema instanceof z.ZodRecord) return serializeNamedValues;
  return (value) => value ?? null;
}

/**
 * Converts a list of names and values to an object. A single value is not wrapped in a list; "__proto__" is a plain
 * name.
 */
const serializeNamedValues: Serializer = (value) =>
  Object.fromEntries(
    (value as readonly { name: string; values: readonly unknown[] }[]).map(({ name, values }) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

/** Undefined for a plain value: most fields are plain, and skipping the call saves a thousand calls in a long list. */
function serializerOfNested(schema: z.ZodType): Serializer | undefined {
  const bare = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  return bare instanceof z.ZodArray || bare instanceof z.ZodObject || bare instanceof z.ZodRecord ? createSerializer(schema) : undefined;
}
