import { consume, consumerOf } from '@webkiln/events';
import type { ErasedAddresses } from '../deletion/erased-addresses.ts';
import { eraseInIdentity } from '../erasure/erase-in-identity.ts';
import { saveReport } from '../erasure/erasure-store.ts';
import { identityCaller } from '../sign-in/identity-caller.ts';

/** Identity's own part of an erasure. */
export function onOrganizationErased(erased: ErasedAddresses): void {
  consume({
    ...consumerOf('identity-erasure'),
    concurrency: 1,
    atLeastOnceHandler: async ({ data: { organization_id, round } }) => {
      const deleted = await eraseInIdentity(organization_id, erased);
      await saveReport(identityCaller(), organization_id, round, 'identity', deleted);
    },
  });
}
