import { type Caller, Change, type ServiceName, serviceCaller } from '@webkiln/messages';
import { isEditedMeanwhile, saveChange, saveWithRetry, unscoped, where } from '@webkiln/store';
import { withReport } from './erasure.ts';
import type { OrganizationState } from './organization.ts';
import { OrganizationModel, type OrganizationRecord, organizationById } from './organization-store.ts';

/** Longest due first. */
export const organizationsToErase = (now: Date, limit: number): Promise<OrganizationRecord[]> =>
  unscoped(OrganizationModel).find({ erase_at: where<Date>({ $lte: now }) }, { sort: { erase_at: 1 }, limit });

/** Saves a step, unless another process took it. */
export async function saveStep(organization: OrganizationRecord, step: Change<Partial<OrganizationState>>): Promise<void> {
  const image = step.state.erased_at ? { logo_content: null } : {};
  try {
    await saveChange(OrganizationModel, serviceCaller('identity'), organization, step.withState(image));
  } catch (error) {
    if (!isEditedMeanwhile(error)) throw error;
  }
}

/** Records what a service deleted in a round. Repeats, and reports of an earlier round, change nothing. */
export const saveReport = (caller: Caller, organizationId: string, round: number, service: ServiceName, deleted: number): Promise<void> =>
  saveWithRetry(caller, async () => {
    const current = await organizationById(organizationId);
    const state = current && withReport(current, round, service, deleted);
    if (current !== null && state !== null) await saveChange(OrganizationModel, caller, current, new Change(state, []));
  });
