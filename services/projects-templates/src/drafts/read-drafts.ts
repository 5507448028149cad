import { extname } from 'node:path/posix';
import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { fileAt, filesOf } from '../files/manifest-store.ts';
import { readBeginning, readSmallContents } from '../files/read-contents.ts';
import { existingVersion } from '../history/version.ts';
import { existingProject } from '../projects/project-store.ts';
import { draftEtag, liveManifestOf, toDraft } from './draft.ts';
import { currentRevision, revisionsOf, toRevision } from './revision.ts';

const textTypes = new Set(['.html', '.css', '.js', '.mjs', '.json', '.svg', '.txt', '.md', '.xml', '.webmanifest', '.csv']);

/** True for a file of a text type that is not too large to be searched. */
export const hasText = ({ path, size }: File) => size <= contentChunkBytes && textTypes.has(extname(path).toLowerCase());

/** For `embed`. */
export const readDraft = handle('projects.ReadDraft', async ({ project_id }, caller) => {
  const project = await existingProject(caller, project_id);
  const files = await filesOf(caller.principal, project.draft_manifest_id);
  const contents = await readSmallContents(caller.principal, files.filter(hasText));
  const revision = currentRevision(project);
  return {
    ...(revision !== undefined && { revision_id: revision.id }),
    project_name: project.name,
    files: files.map((file) => ({ ...file, ...(hasText(file) && { content: contents.get(file.sha256) ?? new Uint8Array() }) })),
  };
});

export const getDraft = handle('projects.GetDraft', async ({ project_id }, caller) => {
  const project = await existingProject(caller, project_id);
  const [files, live] = await Promise.all(
    [project.draft_manifest_id, liveManifestOf(project)].map((manifestId) => filesOf(caller.principal, manifestId)),
  );
  return { draft: toDraft(project, files ?? [], live ?? []), etag: draftEtag(project) };
});

export const listRevisions = handle('projects.ListRevisions', async ({ project_id, limit, offset }, caller) => {
  const project = await existingProject(caller, project_id);
  const revisions = revisionsOf(project);
  const page = revisions.slice(offset, limit === undefined ? undefined : offset + limit);
  return { revisions: page.map((revision) => toRevision(revision, project)), total: revisions.length };
});

export const listRevisionFiles = handle('projects.ListRevisionFiles', async ({ project_id, revision_id }, caller) => {
  const { manifest_id } = existingVersion(await existingProject(caller, project_id, 'revision_not_found'), revision_id);
  return { files: await filesOf(caller.principal, manifest_id) };
});

export const getRevisionFile = handle('projects.GetRevisionFile', async ({ project_id, revision_id, path, max_bytes }, caller) => {
  const { manifest_id } = existingVersion(await existingProject(caller, project_id, 'revision_not_found'), revision_id);
  const file = await fileAt(caller.principal, manifest_id, path);
  return { file, content: await readBeginning(caller.principal, file, max_bytes) };
});
