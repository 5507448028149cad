import fc from 'fast-check';
import { keyOperations, type Operation, type Schema } from '../records/operations.ts';
import { pathOf, type SeedFixtures } from '../records/seed-fixtures.ts';
import { hostileTexts, hugeTexts, oddHeaders, oddMethods, oddPieces, oddQueries, strangeNames } from './hostile-values.ts';
import type { RawRequest } from './raw-http.ts';

type Json = unknown;

/** A request that matches the OpenAPI document, before it is broken. */
interface Draft {
  readonly operation: Operation;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>> | undefined;
}

const word = fc.stringMatching(/^[a-z][a-z ]{0,30}$/);

/** Generates valid requests on the seeded records. A DELETE names no record, so none is deleted. */
function validRequests(fixtures: SeedFixtures, operations: readonly Operation[]): fc.Arbitrary<Draft> {
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

/** The request of a draft, unchanged or with another body. */
function asIs(
  { operation, path, query, body }: Draft,
  key = '',
  sent: string | Buffer | undefined = body && JSON.stringify(body),
): RawRequest {
  const authorization = ['Authorization', `Bearer ${key}`] as const;
  const search = new URLSearchParams(query).toString();
  return {
    method: operation.method,
    target: `/api/v1${path}${search && '?'}${search}`,
    headers: sent === undefined ? [authorization] : [authorization, ['Content-Type', 'application/json']],
    body: sent,
  };
}

/** The body as JSON with `field` set to the JSON text `text`. */
function withField({ body = {} }: Draft, field: string, text: string): string {
  const others = Object.entries(body).filter(([name]) => name !== field);
  return `{${[...others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`), `${JSON.stringify(field)}:${text}`].join()}}`;
}

function fieldOf({ operation }: Draft, pick: number): string {
  const names = Object.keys(operation.body?.properties ?? {});
  return names[pick % names.length] ?? 'name';
}

const cut = (text: string, at: number) => text.slice(0, at % text.length);

const exchanged = ({ headers }: RawRequest, header: readonly [string, string]) => [
  ...headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase()),
  header,
];

function withPiece({ path }: Draft, pick: number, piece: string): string {
  const pieces = path.split('/');
  pieces[1 + (pick % (pieces.length - 1))] = piece;
  return `/api/v1${pieces.join('/')}`;
}

const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const strangeName = fc.oneof(fc.constantFrom(...strangeNames), fc.string());
const oddPiece = fc.oneof(fc.constantFrom(...oddPieces), fc.string({ unit: 'grapheme' }).map(encodeURIComponent));

/** Generates requests on the agency's own records with one mistake, rarely with none. */
export function brokenRequests(fixtures: SeedFixtures): fc.Arbitrary<RawRequest> {
  const drafts = validRequests(fixtures, keyOperations);
  const writes = validRequests(
    fixtures,
    keyOperations.filter(({ body }) => body !== undefined),
  );
  const { key } = fixtures.agency.api;
  const send = (draft: Draft, change: Partial<RawRequest> = {}) => ({ ...asIs(draft, key), ...change });
  const sendBody = (draft: Draft, body: string | Buffer) => asIs(draft, key, body);
  const weighted = (weight: number, arbitrary: fc.Arbitrary<RawRequest>) => ({ weight, arbitrary });
  return fc.oneof(
    weighted(
      20,
      drafts.map((draft) => send(draft)),
    ),
    weighted(
      120,
      fc.tuple(writes, fc.nat(), hostileText).map(([draft, pick, text]) => sendBody(draft, withField(draft, fieldOf(draft, pick), text))),
    ),
    weighted(
      40,
      fc.tuple(writes, strangeName, hostileText).map(([draft, name, text]) => sendBody(draft, withField(draft, name, text))),
    ),
    weighted(
      40,
      fc.tuple(writes, hostileText).map(([draft, text]) => sendBody(draft, text)),
    ),
    weighted(
      2,
      fc.tuple(writes, fc.constantFrom(...hugeTexts)).map(([draft, text]) => sendBody(draft, text)),
    ),
    weighted(
      20,
      fc.tuple(writes, fc.nat()).map(([draft, at]) => sendBody(draft, cut(JSON.stringify(draft.body ?? {}), at))),
    ),
    weighted(
      20,
      fc.tuple(writes, fc.uint8Array({ maxLength: 200 })).map(([draft, bytes]) => sendBody(draft, Buffer.from(bytes))),
    ),
    weighted(
      80,
      fc
        .tuple(drafts, fc.constantFrom(...oddHeaders))
        .map(([draft, header]) => send(draft, { headers: exchanged(asIs(draft, key), header) })),
    ),
    weighted(
      60,
      fc.tuple(drafts, fc.nat(), oddPiece).map(([draft, pick, piece]) => send(draft, { target: withPiece(draft, pick, piece) })),
    ),
    weighted(
      40,
      fc.tuple(drafts, fc.constantFrom(...oddQueries)).map(([draft, query]) => send(draft, { target: `/api/v1${draft.path}?${query}` })),
    ),
    weighted(
      20,
      fc.tuple(drafts, fc.constantFrom(...oddMethods)).map(([draft, method]) => send(draft, { method })),
    ),
  );
}

/** One request per body field, with a MongoDB operator as its value and all else valid. */
export function operatorInEachField(fixtures: SeedFixtures): RawRequest[] {
  const { params, references, agency } = fixtures;
  return keyOperations.flatMap((operation) => {
    const fields = Object.keys(operation.body?.properties ?? {});
    const draft: Draft = { operation, path: pathOf(operation.path, params), query: {}, body: { name: 'Name', price: 1, ...references } };
    const known = Object.fromEntries(Object.entries(draft.body ?? {}).filter(([name]) => fields.includes(name)));
    return fields.map((field) => asIs(draft, agency.api.key, withField({ ...draft, body: known }, field, '{"$ne":1}')));
  });
}
