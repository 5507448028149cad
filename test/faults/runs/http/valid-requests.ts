import fc from 'fast-check';
import { type Estate, pathOf } from './estate.ts';
import type { Operation, Schema } from './operations.ts';

type Json = unknown;

/** A request before it is broken: everything is as the document wants it. */
export interface Draft {
  readonly operation: Operation;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>> | undefined;
}

const word = fc.stringMatching(/^[a-z][a-z ]{0,30}$/);

/** Requests of these operations, on records of the estate. A DELETE names no record, so that they all stay. */
export function validRequests(estate: Estate, operations: readonly Operation[]): fc.Arbitrary<Draft> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: fc.constant(pathOf(operation.path, operation.method === 'DELETE' ? {} : estate.params)),
      query: fc.record(Object.fromEntries(operation.query.map((name) => [name, fc.constantFrom('1', '50', 'active', 'a')])), {
        requiredKeys: [],
      }) as fc.Arbitrary<Record<string, string>>,
      body: operation.body === undefined ? fc.constant(undefined) : bodyOf(operation.body, estate),
    }),
  );
}

function bodyOf({ properties = {}, required = [] }: Schema, { references }: Estate): fc.Arbitrary<Record<string, Json>> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const reference = references[name];
    if (reference !== undefined) return [name, fc.constant(reference)] as const;
    if (name === 'email') return [name, fc.uuid().map((id) => `${id}@example.test`)] as const;
    return [name, valueFor(schema)] as const;
  });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

function valueFor(schema: Schema): fc.Arbitrary<Json> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
  if (schema.type === 'number') return fc.double({ min: schema.minimum, max: schema.maximum, noNaN: true });
  if (schema.type === 'array') return fc.array(valueFor(schema.items ?? {}), { minLength: schema.minItems, maxLength: schema.maxItems });
  if (schema.type === 'object') return objectOf(schema);
  if (schema.type === 'null') return fc.constant(null);
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date() }).map((date) => date.toISOString());
  return schema.format === 'uri' ? fc.webUrl() : word;
}

/** Of files by path there are some that make a site. */
function objectOf({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<Json> {
  const fields = fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)])), {
    requiredKeys: [...required],
  });
  if (typeof additionalProperties !== 'object') return fields;
  const names = fc.oneof(fc.constant('index.html'), fc.webPath());
  return fc.dictionary(names, valueFor(additionalProperties), { maxKeys: 5 });
}
