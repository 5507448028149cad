import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { ownerOfName } from '../projects/project-store.ts';

/** Whose site is published under a name, for services that hear of visits to it. */
export const identifySite = handle('sites.IdentifySite', async ({ name }, caller) => {
  assertInternal(caller);
  const owner = await ownerOfName(name);
  return { found: owner !== null, org_id: owner?.org_id ?? '', project_id: owner?.key ?? '' };
});
