import type { Around, MethodName } from '@webkiln/rpc';

/** Seals what an organization's calls were answered with. */
export interface OutcomeSealer {
  seal(orgId: string, bytes: Uint8Array): Uint8Array;
  open(orgId: string, sealed: Uint8Array): Uint8Array;
}

/** A guard that keeps the replies of repeatable calls, made to keep those that show a secret sealed. */
export const sealedOutcomes =
  (guard: Around, showingSecrets: ReadonlySet<MethodName>, sealer: OutcomeSealer): Around =>
  async (method, caller, run) => {
    if (!showingSecrets.has(method)) return guard(method, caller, run);
    const { org_id } = caller.principal;
    const outcome = await guard(method, caller, async () => sealer.seal(org_id, await run()));
    return outcome instanceof Uint8Array ? sealer.open(org_id, outcome) : { ...outcome, bytes: sealer.open(org_id, outcome.bytes) };
  };
