import { joinedShareOf, type QuotaName } from '@webkiln/messages';
import { countPlaces, insertAtPlace, type PlaceIndex } from '@webkiln/store';
import { joinedShareExceeded, limitOf, quotaExceeded } from './org-policies.ts';

/** A quota that the service keeps. */
export interface Quota {
  readonly name: QuotaName;
  /** How much the organization uses. It reads no more than an index, or a figure that is kept. */
  readonly used: (org_id: string) => Promise<number>;
}

interface PlacedQuota extends Quota {
  /** Inserts a record that uses one of the quota, at a free place: see `insertAtPlace`. Throws `quota_exceeded`. */
  readonly insert: <R>(org_id: string, insert: (place: number) => Promise<R>) => Promise<R>;
}

/** A quota whose uses are records at numbered places. `placesOf` names the records of one organization. */
export const placedQuota = <Doc, T extends 'organization' | 'global'>(
  name: QuotaName,
  placesOf: (org_id: string) => PlaceIndex<Doc, T>,
): PlacedQuota => ({
  name,
  used: (org_id) => countPlaces(placesOf(org_id)),
  async insert(org_id, insert) {
    const limit = await limitOf(org_id, name);
    return insertAtPlace({ ...placesOf(org_id), limit, full: (used) => quotaExceeded(name, limit, used) }, insert);
  },
});

/** The share of a quota that clients who joined by a link have together. Its places are others than the quota's. */
export const placedShare = <Doc, T extends 'organization' | 'global'>(
  name: QuotaName,
  placesOf: (org_id: string) => PlaceIndex<Doc, T>,
): Pick<PlacedQuota, 'insert'> => ({
  async insert(org_id, insert) {
    const limit = joinedShareOf(await limitOf(org_id, name));
    return insertAtPlace({ ...placesOf(org_id), limit, full: () => joinedShareExceeded(name, limit) }, insert);
  },
});
