import { isErasable, organizationModels } from '../model/organization-models.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { deleteInBatches } from '../write/delete-in-batches.ts';
import { refuseRecordsOf } from './erased-organizations.ts';

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
