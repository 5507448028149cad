import { AppError } from '@webkiln/contract';
import { defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { ProjectModel } from '../projects/project-store.ts';

/**
 * The site slots of one client (`_id`). A slot is acquired atomically: two requests that count projects at once would
 * both pass.
 */
interface SiteSlots {
  _id: string;
  org_id: string;
  used: number;
  /** The ids of the projects that hold a slot; `used` is their number. */
  projects: string[];
  /** When the latest slot was acquired. */
  taken_at: Date;
}

export interface SiteAllowance {
  client_id: string;
  /** Absent if no plan sets a limit. Slots are recorded anyway, in case a plan sets one later. */
  max_sites?: number;
}

export const SiteSlotModel = defineModel<SiteSlots>('site_slots', {
  used: { type: Number, required: true },
  projects: [String],
  taken_at: { type: Date, required: true },
});

/**
 * A slot without a project is an orphan after this time. A request inserts its project within its much shorter
 * deadline.
 */
const orphanAgeMs = 60_000;

/** Acquires a slot for the project; repeats have no effect. Throws `plan_limit_reached`. */
export async function acquireSiteSlot(tenant: Tenant, allowance: SiteAllowance, projectId: string): Promise<void> {
  if (await tryAcquire(tenant, allowance, projectId)) return;
  if ((await releaseOrphanedSlots(tenant, allowance.client_id)) && (await tryAcquire(tenant, allowance, projectId))) return;
  throw new AppError('plan_limit_reached');
}

/** Releases the project's slot; repeats have no effect. */
export async function releaseSiteSlot(tenant: Tenant, clientId: string, projectId: string): Promise<void> {
  await scoped(SiteSlotModel, tenant).updateOne(
    { _id: clientId, projects: projectId },
    { $pull: { projects: projectId }, $inc: { used: -1 } },
  );
}

/** False if other projects hold all slots. */
async function tryAcquire(
  tenant: Tenant,
  { client_id, max_sites = Number.POSITIVE_INFINITY }: SiteAllowance,
  projectId: string,
): Promise<boolean> {
  const slots = scoped(SiteSlotModel, tenant);
  const free = { _id: client_id, used: where({ $lt: max_sites }), projects: where({ $ne: projectId }) };
  const acquire = { $push: { projects: projectId }, $inc: { used: 1 }, $set: { taken_at: new Date() } };
  for (;;) {
    const { matchedCount } = await slots.updateOne(free, acquire);
    if (matchedCount === 1) return true;
    const current = await slots.findOne({ _id: client_id });
    if (current === null) await insertEmpty(tenant, client_id);
    else if (current.projects.includes(projectId)) return true;
    else if (current.used >= max_sites) return false;
  }
}

/** Safe to call concurrently: one insert wins. */
async function insertEmpty(tenant: Tenant, _id: string): Promise<void> {
  try {
    await scoped(SiteSlotModel, tenant).insert({ _id, used: 0, projects: [], taken_at: new Date() });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** Releases slots whose project was never inserted because the process died. False if there are none. */
async function releaseOrphanedSlots(tenant: Tenant, clientId: string): Promise<boolean> {
  const slots = await scoped(SiteSlotModel, tenant).findOne({
    _id: clientId,
    taken_at: where({ $lt: new Date(Date.now() - orphanAgeMs) }),
  });
  if (slots === null) return false;
  const found = await scoped(ProjectModel, tenant).find({ _id: where({ $in: slots.projects }) }, { fields: [] });
  const present = new Set(found.map(({ _id }) => _id));
  const orphaned = slots.projects.filter((id) => !present.has(id));
  for (const id of orphaned) await releaseSiteSlot(tenant, clientId, id);
  return orphaned.length > 0;
}
