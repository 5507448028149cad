import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { holdManifest } from '../files/manifest-store.ts';
import { giveSiteSlotBack } from '../site-slots/site-slot-store.ts';
import { manifestsOf, projectDeleted } from './project.ts';
import { existingProject, ProjectModel } from './project-store.ts';

/** Gives the site slot back, so that the client may use it at once; where this process dies before that, the event does. */
export const deleteProject = handle('projects.DeleteProject', ({ project_id }, caller) =>
  saveWithRetry(caller, async () => {
    const project = await existingProject(caller, project_id);
    assertMatches(caller, project);
    for (const id of manifestsOf(project)) await holdManifest(caller.principal, id);
    assertInTime(caller);
    await removeChange(ProjectModel, caller, project, projectDeleted(project));
    if (project.org_client_id !== null) await giveSiteSlotBack(caller.principal, project.org_client_id, project_id);
    return { deleted: true, id: project_id };
  }),
);
