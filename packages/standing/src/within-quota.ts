import type { QuotaName } from '@webkiln/messages';
import { insertAtPlace, type PlaceIndex } from '@webkiln/store';
import { limitOf, quotaExceeded } from './standings.ts';

type Tenancy = 'organization' | 'global';

/**
 * Inserts a record that uses one of the organization's quota, at a free place: see `insertAtPlace`. Throws
 * `quota_exceeded`.
 */
export async function insertWithinQuota<Doc, T extends Tenancy, R>(
  name: QuotaName,
  org_id: string,
  index: PlaceIndex<Doc, T>,
  insert: (place: number) => Promise<R>,
): Promise<R> {
  const limit = await limitOf(org_id, name);
  return insertAtPlace({ ...index, limit, full: (used) => quotaExceeded(name, limit, used) }, insert);
}
