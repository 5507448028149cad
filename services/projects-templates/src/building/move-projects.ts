import { Change } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry, scoped } from '@webkiln/store';
import { assertInternal } from '../authorize.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';

const atOnce = 100;

/** The places of the client's plan are given to moved projects at the next start. */
export const moveProjects = handle('projects.MoveProjects', async ({ from_user_id, user_id, client_id }, caller) => {
  assertInternal(caller);
  const scope = { org_id: caller.principal.org_id };
  const found = await scoped(ProjectModel, scope).find({ user_id: from_user_id }, { fields: [], limit: atOnce });
  for (const { _id } of found) {
    await saveWithRetry(caller, async () => {
      const project = await existingProject(scope, _id);
      const state = { user_id, org_client_id: client_id, site_place: null };
      await saveChange(ProjectModel, scope, project, new Change(state, []));
    });
  }
  return { done: found.length < atOnce };
});
