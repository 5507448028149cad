import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { projectBySubdomain } from '../projects/project-store.ts';

/** Returns the owner of the site under a name. For services that receive its visits. */
export const identifySite = handle('sites.IdentifySite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectBySubdomain(name);
  if (project === null) return { found: false, org_id: '', project_id: '', user_id: '' };
  return { found: true, org_id: project.org_id, project_id: project._id, user_id: project.user_id };
});
