import fc from 'fast-check';
import type { Operation, Schema } from '../records/operations.ts';
import { pathOf, type SeedFixtures } from '../records/seed-fixtures.ts';

type Json = unknown;

/** A request that matches the OpenAPI document, before it is broken. */
export interface Draft {
  readonly operation: Operation;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>> | undefined;
}

const word = fc.stringMatching(/^[a-z][a-z ]{0,30}$/);

/** Generates valid requests on the seeded records. A DELETE names no record, so none is deleted. */
export function validRequests(fixtures: SeedFixtures, operations: readonly Operation[]): fc.Arbitrary<Draft> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: fc.constant(pathOf(operation.path, operation.method === 'DELETE' ? {} : fixtures.params)),
      query: fc.record(Object.fromEntries(operation.query.map((name) => [name, fc.constantFrom('1', '50', 'active', 'a')])), {
        requiredKeys: [],
      }) as fc.Arbitrary<Record<string, string>>,
      body: operation.body === undefined ? fc.constant(undefined) : bodyOf(operation.body, fixtures),
    }),
  );
}

function bodyOf({ properties = {}, required = [] }: Schema, { references }: SeedFixtures): fc.Arbitrary<Record<string, Json>> {
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
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
  if (schema.type === 'number') return fc.double({ min: schema.minimum, max: schema.maximum, noNaN: true });
  if (schema.type === 'array') return fc.array(valueFor(schema.items ?? {}), { minLength: schema.minItems, maxLength: schema.maxItems });
  if (schema.type === 'object') return objectOf(schema);
  if (schema.type === 'null') return fc.constant(null);
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date() }).map((date) => date.toISOString());
  return schema.pattern?.includes('://') ? fc.webUrl() : word;
}

/** A map of files by path contains index.html often enough to make a site. */
function objectOf({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<Json> {
  const fields = fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)])), {
    requiredKeys: required.filter((name) => name in properties),
  });
  if (typeof additionalProperties !== 'object') return fields;
  const names = fc.oneof(fc.constant('index.html'), fc.webPath());
  return fc.dictionary(names, valueFor(additionalProperties), { maxKeys: 5 });
}
