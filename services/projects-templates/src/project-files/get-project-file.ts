import { handle } from '@webkiln/rpc';
import { fileAt } from '../files/manifest-store.ts';
import { readBeginning } from '../files/read-contents.ts';
import { existingProject } from '../projects/project-store.ts';

export const getProjectFile = handle('projects.GetProjectFile', async ({ project_id, path, max_bytes }, caller) => {
  const { draft_manifest_id } = await existingProject(caller, project_id);
  const file = await fileAt(caller.principal, draft_manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});
