import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { toBrand } from './organization.ts';
import { organizationBySlug } from './organization-store.ts';

export const getBrand = handle('identity.GetBrand', async ({ slug }, caller) => {
  assertInternal(caller);
  const organization = slug === undefined ? await currentOrganization(caller) : await organizationBySlug(slug);
  if (organization === null) throw new AppError('organization_not_found');
  return { brand: toBrand(organization), org_id: organization._id, slug: organization.slug };
});
