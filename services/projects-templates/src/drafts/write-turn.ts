import { AppError } from '@webkiln/contract';
import type { IncomingCaller, StoredAuthor } from '@webkiln/messages';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { newId, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { type StoredTree, storeDifference } from '../files/store-files.ts';
import { changeDraft, isOfJoined } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord } from '../projects/project-store.ts';
import { deleteOverlay, saveOverlay } from './overlay-store.ts';
import { currentRevision, manifestsDroppedByDraft, revisionsOf } from './revision.ts';

type Request = IncomingRequest<'projects.WriteTurn'>;

/** For `embed`. What a turn wrote so far is kept beside the draft, until it becomes the draft as a whole. */
export const writeTurn = handle('projects.WriteTurn', async (request, caller) => {
  const outcome = await saveWithRetry(caller, () => write(request, caller));
  // Thrown outside the retries, which take it for a lost race.
  if (outcome === 'edited_meanwhile') throw new AppError(outcome);
  await deleteOverlayAfter(request, caller);
  return outcome;
});

async function write(request: Request, caller: IncomingCaller): Promise<{ revision_id?: string } | 'edited_meanwhile'> {
  const { project_id, turn_id, base_revision_id, commit } = request;
  const project = await existingProject(caller, project_id);
  const done = revisionsOf(project).find((revision) => revision.turn_id === turn_id);
  if (done !== undefined) return { revision_id: done.id };
  const base = currentRevision(project);
  if (base?.id !== base_revision_id) return 'edited_meanwhile';
  const owner = { org_id: caller.principal.org_id, deadlineAt: caller.deadlineAt, isJoined: isOfJoined(project) };
  const stored = await storeDifference(owner, request, project.draft_manifest_id);
  if (commit) return saveTurn(project, stored, request, caller);
  assertBeforeDeadline(caller);
  await saveOverlay(owner, { project_id, turn_id, base_revision_id: base?.id ?? null, manifest_id: stored.manifestId });
  return idIfAny(base);
}

/** A turn that changed nothing is no revision. */
async function saveTurn(
  project: ProjectRecord,
  { manifestId, files }: StoredTree,
  { turn_id, title, author }: Request,
  caller: IncomingCaller,
): Promise<{ revision_id?: string }> {
  const isEmpty = project.draft_manifest_id === null && files.length === 0;
  if (isEmpty || manifestId === project.draft_manifest_id) return idIfAny(currentRevision(project));
  await leaseManifests(caller.principal, manifestsDroppedByDraft(project));
  assertBeforeDeadline(caller);
  const revision = {
    id: newId(caller),
    manifest_id: manifestId,
    title,
    origin: 'turn',
    turn_id,
    ...(author !== undefined && { author: author as StoredAuthor }),
    created_at: new Date().toISOString(),
  } as const;
  await saveChange(ProjectModel, caller, project, changeDraft(project, revision));
  return { revision_id: revision.id };
}

const idIfAny = (revision: { id: string } | undefined) => (revision === undefined ? {} : { revision_id: revision.id });

/** Should the process die before this, nothing shows the overlay: the draft is not its beginning any more. */
async function deleteOverlayAfter({ commit, project_id, turn_id }: Request, { principal }: IncomingCaller): Promise<void> {
  if (commit) await deleteOverlay(principal, project_id, turn_id);
}

/** For `embed`. */
export const dropTurn = handle('projects.DropTurn', async ({ project_id, turn_id }, caller) => {
  await existingProject(caller, project_id);
  await deleteOverlay(caller.principal, project_id, turn_id);
  return {};
});
