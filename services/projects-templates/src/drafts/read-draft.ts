import { extname } from 'node:path/posix';
import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { filesOf } from '../files/manifest-store.ts';
import { readSmallContents } from '../files/read-contents.ts';
import { existingProject } from '../projects/project-store.ts';
import { currentRevision } from './revision.ts';

const textTypes = new Set(['.html', '.css', '.js', '.mjs', '.json', '.svg', '.txt', '.md', '.xml', '.webmanifest', '.csv']);

const isReadable = ({ path, size }: File) => size <= contentChunkBytes && textTypes.has(extname(path).toLowerCase());

/** For `embed`. */
export const readDraft = handle('projects.ReadDraft', async ({ project_id }, caller) => {
  const project = await existingProject(caller, project_id);
  const files = await filesOf(caller.principal, project.draft_manifest_id);
  const contents = await readSmallContents(caller.principal, files.filter(isReadable));
  const revision = currentRevision(project);
  return {
    ...(revision !== undefined && { revision_id: revision.id }),
    project_name: project.name,
    files: files.map((file) => ({ ...file, ...(isReadable(file) && { content: contents.get(file.sha256) ?? new Uint8Array() }) })),
  };
});
