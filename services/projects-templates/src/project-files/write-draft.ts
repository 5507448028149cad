import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertMatches, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { manifestsDroppedByDraft } from '../drafts/revision.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { storeFiles } from '../files/store-files.ts';
import { changeDraft, isOfJoined } from '../projects/project.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';

const uploaded = { title: 'Files uploaded', origin: 'upload', turn_id: null } as const;

/** Only the builder and operators write drafts. API keys manage projects but do not edit their files. */
export const writeDraft = handle('projects.WriteDraft', async ({ project_id, files }, caller) => {
  if (caller.principal.kind === 'api_key') throw new AppError('permission_missing');
  return saveWithRetry(caller, async () => {
    const project = await existingProject(caller, project_id);
    assertMatches(caller, project);
    const owner = { org_id: caller.principal.org_id, deadlineAt: caller.deadlineAt, isJoined: isOfJoined(project) };
    const stored = await storeFiles(owner, files, project.draft_manifest_id);
    if (stored.manifestId !== project.draft_manifest_id) {
      await leaseManifests(caller.principal, manifestsDroppedByDraft(project));
      assertBeforeDeadline(caller);
      const revision = { id: randomUUID(), manifest_id: stored.manifestId, ...uploaded, created_at: new Date().toISOString() };
      await saveChange(ProjectModel, caller, project, changeDraft(project, revision));
    }
    return { files: stored.files };
  });
});
