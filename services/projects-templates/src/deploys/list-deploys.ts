import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { filesOf } from '../files/manifest-store.ts';
import { existingProject } from '../projects/project-store.ts';
import { toDeploys } from './deploy.ts';

export const listDeploys = handle('projects.ListDeploys', async ({ project_id, limit, offset }, caller) => {
  const deploys = toDeploys(await existingProject(caller, project_id));
  return { deploys: deploys.slice(offset, limit === undefined ? undefined : offset + limit), total: deploys.length };
});

/** The files of a kept deploy, without the variants that visitors get instead. Throws `deploy_not_found`. */
export const listDeployFiles = handle('projects.ListDeployFiles', async ({ project_id, deploy_id }, caller) => {
  const { deploys } = await existingProject(caller, project_id);
  const deploy = deploys.find(({ id }) => id === deploy_id);
  if (deploy === undefined) throw new AppError('deploy_not_found');
  return { files: await filesOf(caller.principal, deploy.manifest_id) };
});
