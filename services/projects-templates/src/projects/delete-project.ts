import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { releaseSiteSlot } from '../site-slots/site-slot-store.ts';
import { manifestsOf, projectDeleted } from './project.ts';
import { existingProject, ProjectModel } from './project-store.ts';

/** Releases the site slot at once. After a crash in between, the `internal.project.deleted` consumer releases it. */
export const deleteProject = handle('projects.DeleteProject', ({ project_id }, caller) =>
  saveWithRetry(caller, async () => {
    const project = await existingProject(caller, project_id);
    assertMatches(caller, project);
    await leaseManifests(caller.principal, manifestsOf(project));
    assertBeforeDeadline(caller);
    await removeChange(ProjectModel, caller, project, projectDeleted(project));
    if (project.org_client_id !== null) await releaseSiteSlot(caller.principal, project.org_client_id, project_id);
    return { deleted: true, id: project_id };
  }),
);
