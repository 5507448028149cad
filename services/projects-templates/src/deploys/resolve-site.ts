import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { readSiteFiles } from '../files/site-files.ts';
import { projectBySubdomain } from '../projects/project-store.ts';

const notFound = { found: false, org_id: '', project_id: '', deploy_id: '', suspended: false, files: [] };

/** Returns the live deploy under a name. For `sites`. */
export const resolveSite = handle('sites.ResolveSite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectBySubdomain(name);
  const deploy = project?.deploys.find(({ id }) => id === project.live_deploy_id);
  if (project === null || deploy === undefined) return notFound;
  const { _id, org_id, is_suspended } = project;
  const files = await readSiteFiles({ org_id }, deploy.manifest_id);
  return { found: true, org_id, project_id: _id, deploy_id: deploy.id, suspended: is_suspended, files };
});
