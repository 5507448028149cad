import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { siteFiles } from '../files/site-files.ts';
import { projectNamed } from '../projects/project-store.ts';

const nothing = { found: false, org_id: '', project_id: '', deploy_id: '', suspended: false, files: [] };

/** What is live under a name, for the service that shows it to visitors. */
export const resolveSite = handle('sites.ResolveSite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectNamed(name);
  const deploy = project?.deploys.find(({ id }) => id === project.live_deploy_id);
  if (project === null || deploy === undefined) return nothing;
  const { _id, org_id, is_suspended } = project;
  const files = await siteFiles({ org_id }, deploy.manifest_id);
  return { found: true, org_id, project_id: _id, deploy_id: deploy.id, suspended: is_suspended, files };
});
