import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { authorship, type IncomingCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { isMatch, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { draftEtag, liveManifestOf, toDraft } from '../drafts/draft.ts';
import { manifestsDroppedByDraft } from '../drafts/revision.ts';
import { fileAt, filesOf, leaseManifests } from '../files/manifest-store.ts';
import { type StoredTree, storeDifference, storeFiles } from '../files/store-files.ts';
import type { FileOwner } from '../files/stored-bytes-store.ts';
import { changeDraft, isOfJoined } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord } from '../projects/project-store.ts';

const maxTitleLength = 200;

interface DraftChange {
  readonly origin?: 'upload' | 'edit';
  /** The entity tag of what the caller changes. Undefined if it is not there. */
  etag(project: ProjectRecord): string | undefined | Promise<string | undefined>;
  store(owner: FileOwner, project: ProjectRecord): Promise<StoredTree & { title: string }>;
}

/** Makes a stored tree the draft, as one revision; none if the draft has these files already. */
export async function writeRevision(
  caller: IncomingCaller,
  project_id: string,
  { origin = 'upload', etag, store }: DraftChange,
): Promise<StoredTree & { project: ProjectRecord }> {
  // If-Match is about the files: a change of another part of the project meanwhile is retried.
  const unconditional = { ...caller, ifMatch: undefined };
  const outcome = await saveWithRetry(unconditional, async () => {
    const project = await existingProject(caller, project_id);
    if (!isMatch(caller, await etag(project))) return 'edited_meanwhile';
    const { org_id } = caller.principal;
    const { title, ...stored } = await store({ org_id, deadlineAt: caller.deadlineAt, isJoined: isOfJoined(project) }, project);
    if (stored.manifestId === project.draft_manifest_id) return { ...stored, project };
    await leaseManifests(caller.principal, manifestsDroppedByDraft(project));
    assertBeforeDeadline(caller);
    const revision = {
      id: randomUUID(),
      manifest_id: stored.manifestId,
      title: title.slice(0, maxTitleLength).toWellFormed(),
      origin,
      turn_id: null,
      ...authorship(caller),
      created_at: new Date().toISOString(),
    } as const;
    return { ...stored, project: await saveChange(ProjectModel, caller, project, changeDraft(project, revision)) };
  });
  // Thrown outside the retries, which take it for a lost race.
  if (outcome === 'edited_meanwhile') throw new AppError(outcome);
  return outcome;
}

/** All contents are stored before the one write that shows them: what is cut off leaves the draft as it was. */
export const writeDraft = handle('projects.WriteDraft', async ({ project_id, files: sent }, caller) => {
  const { files, project } = await writeRevision(caller, project_id, {
    etag: draftEtag,
    async store(owner, current) {
      const stored = await storeFiles(owner, sent, current.draft_manifest_id, liveManifestOf(current));
      return { ...stored, title: 'Files uploaded' };
    },
  });
  const live = await filesOf(caller.principal, liveManifestOf(project));
  return { files, draft: toDraft(project, files, live), etag: draftEtag(project) };
});

export const writeProjectFile = handle('projects.WriteProjectFile', async ({ project_id, path, file: content }, caller) => {
  let title = '';
  const { files } = await writeRevision(caller, project_id, {
    async etag(project) {
      const file = (await filesOf(caller.principal, project.draft_manifest_id)).find((each) => each.path === path);
      title = `${file === undefined ? 'Added' : 'Changed'} ${path}`;
      return fileEtag(file);
    },
    async store(owner, { draft_manifest_id }) {
      return { ...(await storeDifference(owner, { written: [{ path, content }], deleted: [] }, draft_manifest_id)), title };
    },
  });
  const file = files.find((each) => each.path === path);
  return { file, etag: fileEtag(file) };
});

export const deleteProjectFile = handle('projects.DeleteProjectFile', async ({ project_id, path }, caller) => {
  await writeRevision(caller, project_id, {
    etag: async ({ draft_manifest_id }) => fileEtag(await fileAt(caller.principal, draft_manifest_id, path)),
    async store(owner, { draft_manifest_id }) {
      return { ...(await storeDifference(owner, { written: [], deleted: [path] }, draft_manifest_id)), title: `Deleted ${path}` };
    },
  });
  return { deleted: true, path };
});

const fileEtag = (file: { sha256: string } | undefined) => file && `"${file.sha256}"`;
