import { handle } from '@webkiln/rpc';
import { readContent } from '../files/chunk-store.ts';
import { fileAt } from '../files/manifest-store.ts';
import { existingProject } from './project-store.ts';

export const getProjectFile = handle('projects.GetProjectFile', async ({ project_id, path }, caller) => {
  const { draft_manifest_id } = await existingProject(caller, project_id);
  const file = await fileAt(caller.principal, draft_manifest_id, path);
  return { file, content: await readContent(caller.principal, file) };
});
