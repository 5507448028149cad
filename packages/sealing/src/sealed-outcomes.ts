import { operations } from '@webkiln/contract';
import { type Interceptor, internalMethodsWithSecret } from '@webkiln/messages';

/** Encrypts the stored replies of one organization. */
export interface OutcomeSealer {
  seal(orgId: string, bytes: Uint8Array): Uint8Array;
  open(orgId: string, sealed: Uint8Array): Uint8Array;
}

const methodsWithSecret: ReadonlySet<string> = new Set([
  ...Object.values(operations).flatMap(({ rpc, showsSecret }) => (showsSecret ? [rpc] : [])),
  ...internalMethodsWithSecret,
]);

/** Wraps an interceptor that stores replies, so that it only ever sees the encrypted form of a reply with a secret. */
export const sealedOutcomes =
  (inner: Interceptor, sealer: OutcomeSealer): Interceptor =>
  async (method, caller, run) => {
    if (!methodsWithSecret.has(method)) return inner(method, caller, run);
    const { org_id } = caller.principal;
    const outcome = await inner(method, caller, async () => sealer.seal(org_id, await run()));
    return outcome instanceof Uint8Array ? sealer.open(org_id, outcome) : { ...outcome, bytes: sealer.open(org_id, outcome.bytes) };
  };
