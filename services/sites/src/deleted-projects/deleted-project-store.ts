import { acrossOrganizations, defineModel, deleteOfProject, type Owner, scoped, type Tenant, where } from '@webkiln/store';

/** A deleted project that in-flight requests may still write for; `_id` is the project's id. */
interface DeletedProject {
  _id: string;
  org_id: string;
  sweep_at: Date;
}

const DeletedProjectModel = defineModel<DeletedProject>(
  'deleted_projects',
  { sweep_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ sweep_at: 1 }]] },
);

/** Schedules the sweep of a deleted project. A repeated call keeps the first time. */
async function scheduleSweep(tenant: Tenant, projectId: string, sweep_at: Date): Promise<void> {
  await scoped(DeletedProjectModel, tenant).updateOne({ _id: projectId }, { $setOnInsert: { sweep_at } }, { upsert: true });
}

/** The projects (`key`) whose sweep is due. */
const dueProjects = (now: Date): Promise<Owner[]> =>
  acrossOrganizations(DeletedProjectModel).owners('_id', 'sweep_at', { sweep_at: where({ $lte: now }) });

async function removeSweep(tenant: Tenant, projectId: string): Promise<void> {
  await scoped(DeletedProjectModel, tenant).deleteOne({ _id: projectId });
}

/** Far longer than the deadline of any request that read the project just before its deletion. */
const sweepDelayMs = 10 * 60_000;

/**
 * Deletes everything that is stored for a deleted project: now, and again once no request in flight can write for it.
 * The deletes are idempotent, and too many for one transaction.
 */
export async function dropProject(tenant: Tenant, projectId: string, now = new Date()): Promise<void> {
  await scheduleSweep(tenant, projectId, new Date(now.getTime() + sweepDelayMs));
  await deleteOfProject(tenant, projectId);
}

/**
 * Deletes what was written for projects during their deletion. An interrupted sweep is continued by the next, on any
 * replica.
 */
export async function sweepDeletedProjects(now = new Date()): Promise<void> {
  for (const { org_id, key: projectId } of await dueProjects(now)) {
    await deleteOfProject({ org_id }, projectId);
    await removeSweep({ org_id }, projectId);
  }
}
