import { handle } from '@webkiln/rpc';
import { filesOf } from '../files/manifest-store.ts';
import { existingProject } from '../projects/project-store.ts';

export const listProjectFiles = handle('projects.ListProjectFiles', async ({ project_id }, caller) => {
  const { draft_manifest_id } = await existingProject(caller, project_id);
  return { files: await filesOf(caller.principal, draft_manifest_id) };
});
