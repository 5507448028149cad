import { handle } from '@webkiln/rpc';
import { existingProject } from '../projects/project-store.ts';
import { toDeploys } from './deploy.ts';

export const listDeploys = handle('projects.ListDeploys', async ({ project_id, limit, offset }, caller) => {
  const deploys = toDeploys(await existingProject(caller, project_id));
  return { deploys: deploys.slice(offset, limit === undefined ? undefined : offset + limit), total: deploys.length };
});
