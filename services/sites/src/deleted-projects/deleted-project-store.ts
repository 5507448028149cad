import { acrossOrganizations, defineModel, type Owner, scoped, type Tenant, where } from '@webkiln/store';

/** A project that is gone, as long as something may still be written for it; `_id` is the project's. */
interface DeletedProject {
  _id: string;
  org_id: string;
  sweep_at: Date;
}

const DeletedProjectModel = defineModel<DeletedProject>(
  'deleted_projects',
  { sweep_at: { type: Date, required: true } },
  { indexesAcross: [[{ sweep_at: 1 }]] },
);

/** Has the project be swept up after at that time. */
export async function noteDeleted(tenant: Tenant, projectId: string, sweep_at: Date): Promise<void> {
  await scoped(DeletedProjectModel, tenant).updateOne({ _id: projectId }, { $setOnInsert: { sweep_at } }, { upsert: true });
}

/** The projects (`key`) to be swept up after by now. */
export const dueProjects = (now: Date): Promise<Owner[]> =>
  acrossOrganizations(DeletedProjectModel).owners('_id', 'sweep_at', { sweep_at: where({ $lte: now }) });

export async function forgetDeleted(tenant: Tenant, projectId: string): Promise<void> {
  await scoped(DeletedProjectModel, tenant).deleteOne({ _id: projectId });
}
