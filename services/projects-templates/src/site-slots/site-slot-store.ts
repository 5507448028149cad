import { AppError } from '@webkiln/contract';
import { defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { ProjectModel } from '../projects/project-store.ts';

/** The sites of one client (`_id`): a limit is taken here, not counted, because two requests that count at once would both pass. */
interface SiteSlots {
  _id: string;
  org_id: string;
  used: number;
  /** Who holds the slots; `used` of them. */
  projects: string[];
  /** When the last slot was taken. */
  taken_at: Date;
}

export interface SiteAllowance {
  client_id: string;
  /** Absent where no plan sets a limit; slots are recorded all the same, for the day one does. */
  max_sites?: number;
}

export const SiteSlotModel = defineModel<SiteSlots>('site_slots', {
  used: { type: Number, required: true },
  projects: [String],
  taken_at: { type: Date, required: true },
});

/** A request takes its slot and makes its project within its deadline, which is far shorter. */
const untilGivenUpMs = 60_000;

/** Takes a slot for the project, once however often it is asked; throws `plan_limit_reached`. */
export async function takeSiteSlot(tenant: Tenant, allowance: SiteAllowance, projectId: string): Promise<void> {
  if (await take(tenant, allowance, projectId)) return;
  if ((await giveUpLostSlots(tenant, allowance.client_id)) && (await take(tenant, allowance, projectId))) return;
  throw new AppError('plan_limit_reached');
}

/** Gives the slot back; nothing happens when it has been. */
export async function giveSiteSlotBack(tenant: Tenant, clientId: string, projectId: string): Promise<void> {
  await scoped(SiteSlotModel, tenant).updateOne(
    { _id: clientId, projects: projectId },
    { $pull: { projects: projectId }, $inc: { used: -1 } },
  );
}

/** False where all slots are taken by others. */
async function take(
  tenant: Tenant,
  { client_id, max_sites = Number.POSITIVE_INFINITY }: SiteAllowance,
  projectId: string,
): Promise<boolean> {
  const slots = scoped(SiteSlotModel, tenant);
  const free = { _id: client_id, used: where({ $lt: max_sites }), projects: where({ $ne: projectId }) };
  const taken = { $push: { projects: projectId }, $inc: { used: 1 }, $set: { taken_at: new Date() } };
  for (;;) {
    const { matchedCount } = await slots.updateOne(free, taken);
    if (matchedCount === 1) return true;
    const current = await slots.findOne({ _id: client_id });
    if (current === null) await insertEmpty(tenant, client_id);
    else if (current.projects.includes(projectId)) return true;
    else if (current.used >= max_sites) return false;
  }
}

/** Of several requests that come first one makes the record. */
async function insertEmpty(tenant: Tenant, _id: string): Promise<void> {
  try {
    await scoped(SiteSlotModel, tenant).insert({ _id, used: 0, projects: [], taken_at: new Date() });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Gives back the slots whose project never appeared, because its maker died in between; false when there is none. */
async function giveUpLostSlots(tenant: Tenant, clientId: string): Promise<boolean> {
  const slots = await scoped(SiteSlotModel, tenant).findOne({
    _id: clientId,
    taken_at: where({ $lt: new Date(Date.now() - untilGivenUpMs) }),
  });
  if (slots === null) return false;
  const found = await scoped(ProjectModel, tenant).find({ _id: where({ $in: slots.projects }) }, { fields: [] });
  const present = new Set(found.map(({ _id }) => _id));
  const lost = slots.projects.filter((id) => !present.has(id));
  for (const id of lost) await giveSiteSlotBack(tenant, clientId, id);
  return lost.length > 0;
}
