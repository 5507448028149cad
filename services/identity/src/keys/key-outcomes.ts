import { type OutcomeSealer, open, organizationKey, seal } from '@webkiln/sealing';

/** Seals stored outcomes under one key per organization, derived from the pepper. */
export function keyOutcomes(pepper: Uint8Array): OutcomeSealer {
  const keyOf = (orgId: string) => organizationKey(pepper, `outcomes of ${orgId}`);
  return {
    seal: (orgId, bytes) => seal(keyOf(orgId), bytes),
    open: (orgId, sealed) => open(keyOf(orgId), sealed),
  };
}
