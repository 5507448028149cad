import { organizationModels } from '../model/organization-models.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { deleteInBatches } from './delete-in-batches.ts';

/**
 * Deletes every record of an organization from the service's database, a batch at a time: from each collection whose
 * records have an `org_id`, except `kept`. Returns how many there were. Safe to repeat and to interrupt.
 */
export async function eraseOrganization(org_id: string, kept: readonly StoreModel[] = []): Promise<number> {
  let deleted = 0;
  for (const model of organizationModels()) {
    if (!kept.includes(model)) deleted += (await deleteInBatches(model, { org_id: { $eq: org_id } })).deletedCount;
  }
  return deleted;
}
