import { AppError, validate } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { assertOperator } from '../authorize.ts';
import { NewOrganization, openOrganization, slugsOf, toOrganization } from './organization.ts';
import { insertOrganization } from './organization-store.ts';

export const createOrganization = handle('identity.CreateOrganization', async (request, caller) => {
  assertOperator(caller);
  const { name, slug: wanted, rate_limit = null } = validate(NewOrganization, request);
  const _id = newId(caller);
  for (const slug of wanted === undefined ? slugsOf(name) : [wanted]) {
    const organization = await insertOrganization(caller, openOrganization({ _id, name, slug, rate_limit }, new Date()));
    if (organization !== undefined) return { organization: toOrganization(organization) };
  }
  throw new AppError('slug_taken');
});
