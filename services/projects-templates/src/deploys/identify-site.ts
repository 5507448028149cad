import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { projectNamed } from '../projects/project-store.ts';

/** Whose site is published under a name, for services that hear of visits to it. */
export const identifySite = handle('sites.IdentifySite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectNamed(name);
  if (project === null) return { found: false, org_id: '', project_id: '', user_id: '' };
  return { found: true, org_id: project.org_id, project_id: project._id, user_id: project.user_id };
});
