import type { SecretList } from '@webkiln/runtime';
import { type OutcomeSealer, openUnder, organizationKeys, seal } from '@webkiln/sealing';

/** Seals stored outcomes under a key per organization, derived from the first pepper; each pepper opens its own. */
export function keyOutcomes(peppers: SecretList<Uint8Array>): OutcomeSealer {
  const keysOf = (orgId: string) => organizationKeys(peppers, `outcomes of ${orgId}`);
  return {
    seal: (orgId, bytes) => seal(keysOf(orgId)[0], bytes),
    open: (orgId, sealed) => openUnder(keysOf(orgId), sealed).bytes,
  };
}
