import type { Tenant } from '@webkiln/store';
import { dropSettings } from '../forms/form-settings-store.ts';
import { dropSubmissions } from '../forms/submission-store.ts';
import { dropImages } from '../preview-images/preview-image-store.ts';
import { dueProjects, forgetDeleted, noteDeleted } from './deleted-project-store.ts';

/** Far longer than the deadlines of whoever found the project just before it was deleted, and writes for it. */
const writersDoneMs = 10 * 60_000;

/**
 * Deletes what came in by a deleted project's forms, their settings, and its pictures: now, and once more when nobody can be writing for it any
 * longer. The writes are safe to repeat, and too many for one transaction.
 */
export async function dropProject(tenant: Tenant, projectId: string, now = new Date()): Promise<void> {
  await noteDeleted(tenant, projectId, new Date(now.getTime() + writersDoneMs));
  await dropAll(tenant, projectId);
}

/** Deletes what was written for projects while they were deleted. A sweep may be cut off anywhere: the next one, of any replica, goes on. */
export async function sweepDeletedProjects(now = new Date()): Promise<void> {
  for (const { org_id, key: projectId } of await dueProjects(now)) {
    await dropAll({ org_id }, projectId);
    await forgetDeleted({ org_id }, projectId);
  }
}

async function dropAll(tenant: Tenant, projectId: string): Promise<void> {
  await dropSubmissions(tenant, projectId);
  await dropSettings(tenant, projectId);
  await dropImages(tenant, projectId);
}
