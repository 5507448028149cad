import { acrossOrganizations, defineModel, type Owner, scoped, type Tenant, where } from '@webkiln/store';

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
export async function scheduleSweep(tenant: Tenant, projectId: string, sweep_at: Date): Promise<void> {
  await scoped(DeletedProjectModel, tenant).updateOne({ _id: projectId }, { $setOnInsert: { sweep_at } }, { upsert: true });
}

/** The projects (`key`) whose sweep is due. */
export const dueProjects = (now: Date): Promise<Owner[]> =>
  acrossOrganizations(DeletedProjectModel).owners('_id', 'sweep_at', { sweep_at: where({ $lte: now }) });

export async function removeSweep(tenant: Tenant, projectId: string): Promise<void> {
  await scoped(DeletedProjectModel, tenant).deleteOne({ _id: projectId });
}
