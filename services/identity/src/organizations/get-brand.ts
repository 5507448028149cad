import { handle } from '@webkiln/rpc';
import { assertInternal, existingOrganization } from '../authorize.ts';
import { toBrand } from './organization.ts';

export const getBrand = handle('identity.GetBrand', async (_request, caller) => {
  assertInternal(caller);
  return { brand: toBrand(await existingOrganization(caller)) };
});
