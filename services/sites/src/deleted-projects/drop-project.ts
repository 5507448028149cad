import { deleteOfProject, type Tenant } from '@webkiln/store';
import { dueProjects, removeSweep, scheduleSweep } from './deleted-project-store.ts';

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
