import { handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { assertInternal } from '../authorize.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import { changePreviewImage } from './deploy.ts';

/** Makes a deploy's preview image the project's, if that deploy is still live. For `sites`, which takes the images. */
export const setPreviewImage = handle('sites.SetPreviewImage', ({ org_id, project_id, deploy_id }, caller) => {
  assertInternal(caller);
  return saveWithRetry({}, async () => {
    const current = await existingProject({ org_id }, project_id);
    const change = changePreviewImage(current, deploy_id);
    if (change === null) return { shown: false };
    if (current.pictured_deploy_id !== deploy_id) await saveChange(ProjectModel, { org_id }, current, change);
    return { shown: true };
  });
});
