import { handle } from '@webkiln/rpc';
import { filesOf } from '../files/manifest-store.ts';
import { existingProject } from '../projects/project-store.ts';
import { existingRevision } from './revision.ts';

export const listRevisionFiles = handle('projects.ListRevisionFiles', async ({ project_id, revision_id }, caller) => {
  const { manifest_id } = existingRevision(await existingProject(caller, project_id, 'revision_not_found'), revision_id);
  return { files: await filesOf(caller.principal, manifest_id) };
});
