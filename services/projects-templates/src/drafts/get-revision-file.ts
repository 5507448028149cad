import { handle } from '@webkiln/rpc';
import { fileAt } from '../files/manifest-store.ts';
import { readBeginning } from '../files/read-contents.ts';
import { existingProject } from '../projects/project-store.ts';
import { existingRevision } from './revision.ts';

export const getRevisionFile = handle('projects.GetRevisionFile', async ({ project_id, revision_id, path, max_bytes }, caller) => {
  const { manifest_id } = existingRevision(await existingProject(caller, project_id, 'revision_not_found'), revision_id);
  const file = await fileAt(caller.principal, manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});
