import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { assertOperator } from '../authorize.ts';
import { makeOrganization } from './make-organization.ts';
import { NewOrganization, toOrganization } from './organization.ts';

export const createOrganization = handle('identity.CreateOrganization', async (request, caller) => {
  assertOperator(caller);
  const { name, slug, rate_limit = null } = validate(NewOrganization, request);
  const organization = await makeOrganization(caller, { _id: newId(caller), name, slug, rate_limit });
  return { organization: toOrganization(organization) };
});
