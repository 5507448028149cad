import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { toBrand } from './organization.ts';
import { organizationById, organizationBySlug } from './organization-store.ts';

export const getBrand = handle('identity.GetBrand', async ({ slug }, caller) => {
  assertInternal(caller);
  const organization = await (slug === undefined ? organizationById(caller.principal.org_id) : organizationBySlug(slug));
  if (organization === null) throw new AppError('organization_not_found');
  return { brand: toBrand(organization) };
});
