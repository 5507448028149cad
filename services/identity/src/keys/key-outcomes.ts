import type { SecretList } from '@webkiln/runtime';
import { type OutcomeSealer, open, organizationKey, seal } from '@webkiln/sealing';

/** Seals stored outcomes under a key per organization, derived from the first pepper; each pepper opens its own. */
export function keyOutcomes(peppers: SecretList<Uint8Array>): OutcomeSealer {
  const keyOf = (pepper: Uint8Array, orgId: string) => organizationKey(pepper, `outcomes of ${orgId}`);

  const openUnder = ([pepper, ...older]: SecretList<Uint8Array>, orgId: string, sealed: Uint8Array): Uint8Array => {
    const [next, ...others] = older;
    try {
      return open(keyOf(pepper, orgId), sealed);
    } catch (error) {
      if (next === undefined) throw error;
      return openUnder([next, ...others], orgId, sealed);
    }
  };

  return {
    seal: (orgId, bytes) => seal(keyOf(peppers[0], orgId), bytes),
    open: (orgId, sealed) => openUnder(peppers, orgId, sealed),
  };
}
