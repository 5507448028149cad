import { AppError } from '@webkiln/contract';
import { authorship, type Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { isMatch, newId, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { storeDifference } from '../files/store-files.ts';
import { existingVersion, type Version } from '../history/version.ts';
import { changeDraft, isOfJoined } from '../projects/project.ts';
import { existingProject, ProjectModel, type ProjectRecord } from '../projects/project-store.ts';
import { draftEtag } from './draft.ts';
import { currentRevision, existingRevision, manifestsDroppedByDraft, revisionsOf, toRevision } from './revision.ts';

/**
 * A retry finds the revision of the earlier attempt. If-Match is about the files: a change of another part of the
 * project meanwhile is retried.
 */
export const restoreRevision = handle('projects.RestoreRevision', async ({ project_id, revision_id }, caller) => {
  const id = newId(caller);
  const outcome = await saveWithRetry({ ...caller, ifMatch: undefined }, async () => {
    const project = await existingProject(caller, project_id, 'revision_not_found');
    const done = revisionsOf(project).find((revision) => revision.id === id);
    if (done !== undefined) return { revision: toRevision(done, project) };
    if (!isMatch(caller, draftEtag(project))) return 'edited_meanwhile';
    const version = existingVersion(project, revision_id);
    const manifest_id = await draftManifestOf(version, project, caller);
    const current = currentRevision(project);
    if (current?.manifest_id === manifest_id) return { revision: toRevision(current, project) };
    // The oldest revision may be both restored and dropped.
    await leaseManifests(caller.principal, [manifest_id, ...manifestsDroppedByDraft(project)]);
    assertBeforeDeadline(caller);
    const restored = { id, manifest_id, title: titleOf(version), origin: 'restore', turn_id: null } as const;
    const change = changeDraft(project, { ...restored, ...authorship(caller), created_at: new Date().toISOString() });
    const saved = await saveChange(ProjectModel, caller, project, change);
    return { revision: toRevision(existingRevision(saved, id), saved) };
  });
  if (outcome === 'edited_meanwhile') throw new AppError(outcome);
  return outcome;
});

const titleOf = ({ number, created_at }: Version): string =>
  number === null ? `Restored what was published at ${created_at.slice(0, 16).replace('T', ' ')} UTC` : `Restored revision ${number}`;

/** The manifest of a deploy has also what visitors get, so the draft gets one of its own. */
async function draftManifestOf({ number, manifest_id }: Version, project: ProjectRecord, caller: Caller): Promise<string> {
  if (number !== null) return manifest_id;
  const owner = { org_id: caller.principal.org_id, deadlineAt: caller.deadlineAt, isJoined: isOfJoined(project) };
  return (await storeDifference(owner, { written: [], deleted: [] }, manifest_id)).manifestId;
}
