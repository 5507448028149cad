import { handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { assertInternal } from '../authorize.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import { picture } from './deploy.ts';

/** Shows the picture of a deploy, as long as that one is live; for the service that takes them. */
export const setPreviewImage = handle('sites.SetPreviewImage', ({ org_id, project_id, deploy_id }, caller) => {
  assertInternal(caller);
  return saveWithRetry({}, async () => {
    const current = await existingProject({ org_id }, project_id);
    const change = picture(current, deploy_id);
    if (change === null) return { shown: false };
    if (current.pictured_deploy_id !== deploy_id) await saveChange(ProjectModel, { org_id }, current, change);
    return { shown: true };
  });
});
