import { handle } from '@webkiln/rpc';
import { existingProject } from '../projects/project-store.ts';
import { deleteOverlay } from './overlay-store.ts';

/** For `embed`. */
export const dropTurn = handle('projects.DropTurn', async ({ project_id, turn_id }, caller) => {
  await existingProject(caller, project_id);
  await deleteOverlay(caller.principal, project_id, turn_id);
  return {};
});
