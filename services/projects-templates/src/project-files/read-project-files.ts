import { handle } from '@webkiln/rpc';
import { fileAt, filesOf } from '../files/manifest-store.ts';
import { readBeginning, readPart } from '../files/read-contents.ts';
import { existingProject } from '../projects/project-store.ts';

export const listProjectFiles = handle('projects.ListProjectFiles', async ({ project_id }, caller) => {
  const { draft_manifest_id } = await existingProject(caller, project_id);
  return { files: await filesOf(caller.principal, draft_manifest_id) };
});

export const getProjectFile = handle('projects.GetProjectFile', async ({ project_id, path, max_bytes }, caller) => {
  const { draft_manifest_id } = await existingProject(caller, project_id);
  const file = await fileAt(caller.principal, draft_manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});

/**
 * Reads a part of a content of an organization. Only the gateway calls it, with the SHA-256 of a file that
 * `GetProjectFile` or `GetTemplateFile` showed to its caller, so a change of the draft meanwhile has no effect.
 */
export const readContent = handle('projects.ReadContent', async ({ sha256, offset, length }, caller) => ({
  content: (await readPart(caller.principal, sha256, offset, length)).content,
}));
