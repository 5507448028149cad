import type { KeptEntry } from '../model/stored-record.ts';

/**
 * The expression that replaces a record by its tombstone, with these entries at the end of its outbox. A tombstone has
 * another `org_id`, so that no read, count or unique index of the organization sees it.
 */
export const tombstoneWith = (entries: readonly KeptEntry[]) => ({
  _id: '$_id',
  org_id: { $concat: ['deleted:', '$_id'] },
  deleted_org_id: '$org_id',
  deleted_at: '$$NOW',
  revision: { $add: ['$revision', 1] },
  outbox: { $concatArrays: ['$outbox', { $literal: entries }] },
});
