import { handle } from '@webkiln/rpc';
import { suspensionOf } from '@webkiln/standing';
import { assertInternal } from '../authorize.ts';
import { projectBySiteName } from '../projects/projects-anywhere.ts';

/** Returns the owner of the site under a name. For services that receive its visits. */
export const identifySite = handle('sites.IdentifySite', async ({ name }, caller) => {
  assertInternal(caller);
  const project = await projectBySiteName(name);
  if (project === null) return { found: false, org_id: '', project_id: '', user_id: '', paused: false };
  const { org_id, _id, user_id, is_suspended, taken_down_at } = project;
  const paused = is_suspended || taken_down_at !== null || (await suspensionOf(org_id)).suspended;
  return { found: true, org_id, project_id: _id, user_id, paused };
});
