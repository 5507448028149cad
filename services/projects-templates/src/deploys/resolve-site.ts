import { handle } from '@webkiln/rpc';
import { suspensionOf } from '@webkiln/standing';
import { assertInternal } from '../authorize.ts';
import { isServed } from '../files/file-tree.ts';
import { readSiteFiles } from '../files/site-files.ts';
import { projectBySiteName } from '../projects/projects-anywhere.ts';

const notFound = {
  found: false,
  org_id: '',
  project_id: '',
  deploy_id: '',
  suspended: false,
  organization_suspended: false,
  standing_version: 0,
  taken_down: false,
  files: [],
};

/** Returns the live deploy under a name. For `sites`. */
export const resolveSite = handle('sites.ResolveSite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectBySiteName(name);
  const deploy = project?.deploys.find(({ id }) => id === project.live_deploy_id);
  if (project === null || deploy === undefined) return notFound;
  const { _id, org_id, is_suspended } = project;
  const [files, { version, suspended }] = await Promise.all([readSiteFiles({ org_id }, deploy.manifest_id), suspensionOf(org_id)]);
  return {
    found: true,
    org_id,
    project_id: _id,
    deploy_id: deploy.id,
    suspended: is_suspended,
    organization_suspended: suspended,
    standing_version: version,
    taken_down: project.taken_down_at !== null,
    files: files.filter(isServed),
  };
});
