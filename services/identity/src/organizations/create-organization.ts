import { validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { assertOperator } from '../authorize.ts';
import { insertWithFreeSlug } from './insert-with-free-slug.ts';
import { NewOrganization, toOrganization } from './organization.ts';

export const createOrganization = handle('identity.CreateOrganization', async (request, caller) => {
  assertOperator(caller);
  const { name, slug, rate_limit = null } = validate(NewOrganization, request);
  const organization = await insertWithFreeSlug(caller, { _id: newId(caller), name, slug, rate_limit });
  return { organization: toOrganization(organization) };
});
