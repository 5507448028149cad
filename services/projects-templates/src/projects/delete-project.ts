import { handle } from '@webkiln/rpc';
import { assertMatches, deleteOfProject, removeChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { leaveLabel } from './label-store.ts';
import { manifestsOf, projectAudited, projectDeleted } from './project.ts';
import { existingProject, ProjectModel } from './project-store.ts';

/** The tombstone has no place: the quota and the client's plan have room again. */
export const deleteProject = handle('projects.DeleteProject', ({ project_id }, caller) =>
  saveWithRetry(caller, async () => {
    const project = await existingProject(caller, project_id);
    assertMatches(caller, project);
    await leaseManifests(caller.principal, manifestsOf(project));
    assertBeforeDeadline(caller);
    // Before the label is free: nobody can take it in between.
    await leaveLabel(project);
    const events = [...projectDeleted(project), projectAudited(caller, 'project.deleted', project)] as const;
    await removeChange(ProjectModel, caller, project, events);
    await deleteOfProject(caller.principal, project_id);
    return { deleted: true, id: project_id };
  }),
);
