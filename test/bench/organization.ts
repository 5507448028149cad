import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call, connectPeers } from '@webkiln/rpc';
import { runConcurrently } from './concurrently.ts';
import type { BenchPlatform } from './platform.ts';

export interface BenchOrganization {
  readonly id: string;
  /** One Authorization header per key. */
  readonly headers: readonly { readonly authorization: string }[];
}

const timeoutMs = 10_000;

/** Connects to the platform's identity service as an operator. `closePeers` disconnects. */
export function connectOperator({ secrets, processes }: BenchPlatform): void {
  connectPeers({
    issuer: 'operator',
    signingKey: secrets.OPERATOR_SIGNING_KEY,
    transport: 'carried',
    addresses: { identity: `127.0.0.1:${processes.identity?.port}` },
  });
}

/** Creates an organization with `keys` API keys. */
export async function newOrganization(keys: number): Promise<BenchOrganization> {
  const { organization } = await call('identity.CreateOrganization', { name: 'Bench' }, callerFor(operatorPrincipal(), { timeoutMs }));
  const id = organization?.id ?? '';
  const headers = await runConcurrently(keys, async (index) => {
    const request = { name: `bench ${index}`, permissions: ['read', 'write'] };
    const { secret } = await call('identity.CreateKey', request, callerFor(operatorPrincipal(id), { timeoutMs }));
    return { authorization: `Bearer ${secret}` };
  });
  return { id, headers };
}
