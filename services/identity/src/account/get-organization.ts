import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { toOwnOrganization } from '../organizations/organization.ts';
import { ownOrganization } from './signed-in.ts';

export const getOrganization = handle('accounts.GetOrganization', async (_request, caller) => {
  const organization = await ownOrganization(caller);
  return { organization: toOwnOrganization(organization), etag: etagOf(organization) };
});
