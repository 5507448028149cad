import type { Index } from '../model/indexes.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { textParts } from './text-parts.ts';

/** The field beside a searched one that holds its parts. */
export const partsFieldOf = (field: string): string => `${field}_parts`;

/** The model's searched field. Throws if it has none. */
export function searchedField({ collection, searched }: StoreModel): string {
  if (searched === undefined) throw new TypeError(`${collection} has no searched field`);
  return searched;
}

/** The parts to store with the fields that a write sets. */
export function withParts({ searched }: StoreModel, state: object): Record<string, unknown> {
  const text: unknown = searched === undefined ? undefined : (state as Record<string, unknown>)[searched];
  return typeof text !== 'string' || searched === undefined ? { ...state } : { ...state, [partsFieldOf(searched)]: textParts(text) };
}

/** The order of searched lists. */
export const newestFirst = { created_at: -1, _id: 1 } as const;

/** Finds records by a part, newest first. The second index has only records of earlier versions, which lack parts. */
export const searchIndexes = (field: string): Index[] => [
  [{ org_id: 1, [partsFieldOf(field)]: 1, ...newestFirst }],
  [
    { created_at: 1 },
    { name: `${partsFieldOf(field)}_missing`, partialFilterExpression: { [partsFieldOf(field)]: null, [field]: { $exists: true } } },
  ],
];
