import fc from 'fast-check';
import { keyOperations } from '../records/operations.ts';
import { pathOf, type SeedFixtures } from '../records/seed-fixtures.ts';
import { hostileTexts, hugeTexts, oddHeaders, oddMethods, oddPieces, oddQueries, strangeNames } from './hostile-values.ts';
import { asIs, cut, exchanged, fieldOf, withField, withPiece } from './mutations.ts';
import type { RawRequest } from './raw-http.ts';
import { type Draft, validRequests } from './valid-requests.ts';

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
