import { handle } from '@webkiln/rpc';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { toBrand } from './organization.ts';

export const getBrand = handle('identity.GetBrand', async (_request, caller) => {
  assertInternal(caller);
  return { brand: toBrand(await currentOrganization(caller)) };
});
