import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertOperator } from '../authorize.ts';
import { toOrganization } from './organization.ts';
import { organizationById, organizationBySlug } from './organization-store.ts';

export const getOrganization = handle('identity.GetOrganization', async ({ organization: idOrSlug }, caller) => {
  assertOperator(caller);
  const organization = (await organizationById(idOrSlug)) ?? (await organizationBySlug(idOrSlug));
  if (organization === null) throw new AppError('organization_not_found');
  return { organization: toOrganization(organization) };
});
