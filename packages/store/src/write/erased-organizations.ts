import { AppError } from '@webkiln/contract';
import { batched, growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import { database } from '../connection.ts';
import { isErasable, organizationModels } from '../model/models.ts';
import { orgOf, type Scope } from '../model/scope.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';
import { deleteInBatches } from './delete-in-batches.ts';

/**
 * Has the service's database refuse new records of an organization, then deletes those that it has, a batch at a time:
 * from each collection whose records have an `org_id`, except `kept`. Returns how many there were. Safe to repeat and
 * to interrupt.
 */
export async function eraseOrganization(org_id: string, kept: readonly StoreModel[] = []): Promise<number> {
  await refuseRecordsOf(org_id);
  let deleted = 0;
  for (const model of organizationModels()) {
    if (!isErasable(model) || kept.includes(model)) continue;
    deleted += (await deleteInBatches(model, { org_id: { $eq: org_id } })).deletedCount;
    deleted += await deleteTombstones(model, org_id);
  }
  return deleted;
}

/** Deleted records whose events wait to be published; they are few, and found by the relay's index. */
async function deleteTombstones(model: StoreModel, org_id: string): Promise<number> {
  if (model.tenancy === 'global' || !model.raisesEvents) return 0;
  const filter = { 'outbox.timestamp': { $exists: true }, deleted_org_id: { $eq: org_id } };
  return (await deleteInBatches(model, filter)).deletedCount;
}

/** `_id` is the organization's. Kept for ever, like its id at identity: a message may come at any time. */
interface ErasedOrganization {
  readonly _id: string;
  /** When this service's part of the erasure began. */
  readonly erased_at: Date;
}

/**
 * How long an organization counts as not erased before it is read again. An erasure ends only after every service has
 * refused records for longer than this and a write together (`ERASURE_QUIET_MS`).
 */
const maxAgeMs = 2_000;

const collection = 'erased_organizations';
const rows = () => database().collection<ErasedOrganization>(collection);

const known = new LRUCache<string, { readonly isErased: boolean; readonly readAt: number }>(growingTo(50_000));

/** From now on the service's database takes no new record of the organization. */
async function refuseRecordsOf(org_id: string): Promise<void> {
  const first = { $setOnInsert: { erased_at: new Date() } };
  await answered('update', { collection }, () => rows().updateOne({ _id: org_id }, first, { upsert: true }));
  known.set(org_id, { isErased: true, readAt: performance.now() });
}

const read = batched<string, boolean>(async (ids) => {
  const readAt = performance.now();
  const found = await answered('find', { collection }, () =>
    rows()
      .find({ _id: { $in: [...new Set(ids)] } })
      .toArray(),
  );
  const erased = new Set(found.map(({ _id }) => _id));
  return ids.map((id) => {
    const isErased = erased.has(id) || known.get(id)?.isErased === true;
    known.set(id, { isErased, readAt });
    return isErased;
  });
});

/** True if the organization's erasure has begun in this service. Reads of one tick share a query. */
export async function isErased(org_id: string): Promise<boolean> {
  const last = known.get(org_id);
  if (last !== undefined && (last.isErased || performance.now() - last.readAt < maxAgeMs)) return last.isErased;
  return read(org_id);
}

/** True if a record with these fields would belong to an organization whose erasure has begun. */
export async function isOfErased(model: StoreModel, scope: Scope, fields: object): Promise<boolean> {
  if (!isErasable(model)) return false;
  const { org_id } = model.tenancy === 'organization' ? { org_id: orgOf(scope) } : (fields as { readonly org_id?: unknown });
  return typeof org_id === 'string' && org_id !== '' && isErased(org_id);
}

/** Throws `organization_suspended`, as before the erasure, where `isOfErased`. */
export async function assertNotErased(model: StoreModel, scope: Scope, fields: object): Promise<void> {
  if (await isOfErased(model, scope, fields)) throw new AppError('organization_suspended');
}

/** The writes without those for organizations whose erasure has begun. */
export async function withoutErased<W>(model: StoreModel, writes: readonly W[], orgIdOf: (write: W) => string): Promise<W[]> {
  const areErased = await Promise.all(writes.map((write) => isOfErased(model, { org_id: orgIdOf(write) }, {})));
  return writes.filter((_, index) => !areErased[index]);
}
