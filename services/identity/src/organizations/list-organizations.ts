import { handle } from '@webkiln/rpc';
import { assertOperator } from '../authorize.ts';
import { toOrganization } from './organization.ts';
import { allOrganizations } from './organization-store.ts';

export const listOrganizations = handle('identity.ListOrganizations', async (_request, caller) => {
  assertOperator(caller);
  return { organizations: (await allOrganizations()).map(toOrganization) };
});
