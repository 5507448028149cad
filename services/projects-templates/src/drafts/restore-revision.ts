import { handle } from '@webkiln/rpc';
import { newId, saveChange, saveWithRetry } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { leaseManifests } from '../files/manifest-store.ts';
import { changeDraft } from '../projects/project.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import { currentRevision, existingRevision, manifestsDroppedByDraft, revisionsOf, toRevision } from './revision.ts';

/** A retry finds the revision of the earlier attempt. */
export const restoreRevision = handle('projects.RestoreRevision', ({ project_id, revision_id }, caller) => {
  const id = newId(caller);
  return saveWithRetry(caller, async () => {
    const project = await existingProject(caller, project_id, 'revision_not_found');
    const done = revisionsOf(project).find((revision) => revision.id === id);
    if (done !== undefined) return { revision: toRevision(done, project) };
    const { manifest_id, number } = existingRevision(project, revision_id);
    const current = currentRevision(project);
    if (current?.manifest_id === manifest_id) return { revision: toRevision(current, project) };
    // The oldest revision may be both restored and dropped.
    await leaseManifests(caller.principal, [manifest_id, ...manifestsDroppedByDraft(project)]);
    assertBeforeDeadline(caller);
    const restored = { id, manifest_id, title: `Restored revision ${number}`, origin: 'restore', turn_id: null } as const;
    const change = changeDraft(project, { ...restored, created_at: new Date().toISOString() });
    const saved = await saveChange(ProjectModel, caller, project, change);
    return { revision: toRevision(existingRevision(saved, id), saved) };
  });
});
