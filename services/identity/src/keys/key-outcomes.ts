import type { MethodName } from '@webkiln/rpc';
import { type OutcomeSealer, open, organizationKey, seal } from '@webkiln/sealing';

/** The calls whose answer shows a key or another secret. */
export const showingSecrets: ReadonlySet<MethodName> = new Set([
  'identity.CreateKey',
  'identity.RotateKey',
  'accounts.CreateKey',
  'accounts.RotateKey',
  'accounts.CreateEmbedClient',
  'accounts.RotateEmbedClient',
]);

/** Seals under a key per organization, derived from the pepper. */
export function keyOutcomes(pepper: Uint8Array): OutcomeSealer {
  const keyOf = (orgId: string) => organizationKey(pepper, `outcomes of ${orgId}`);
  return {
    seal: (orgId, bytes) => seal(keyOf(orgId), bytes),
    open: (orgId, sealed) => open(keyOf(orgId), sealed),
  };
}
