import { call, callerFor, connectPeers, operatorPrincipal } from '@webkiln/rpc';
import type { BenchPlatform } from './platform.ts';
import { spread } from './spread.ts';

export interface BenchOrganization {
  readonly id: string;
  /** One Authorization header per key. */
  readonly headers: readonly { readonly authorization: string }[];
}

const timeoutMs = 10_000;

/** Connects to the platform's identity as an operator; `closePeers` ends it. */
export function connectOperator({ secrets, processes }: BenchPlatform): void {
  connectPeers({
    issuer: 'operator',
    signingKey: secrets.OPERATOR_SIGNING_KEY,
    transport: 'carried',
    addresses: { identity: `127.0.0.1:${processes.identity?.port}` },
  });
}

/** A new organization with so many keys. */
export async function newOrganization(keys: number): Promise<BenchOrganization> {
  const { organization } = await call('identity.CreateOrganization', { name: 'Bench' }, callerFor(operatorPrincipal(), { timeoutMs }));
  const id = organization?.id ?? '';
  const headers = await spread(keys, async (turn) => {
    const request = { name: `bench ${turn}`, permissions: ['read', 'write'] };
    const { secret } = await call('identity.CreateKey', request, callerFor(operatorPrincipal(id), { timeoutMs }));
    return { authorization: `Bearer ${secret}` };
  });
  return { id, headers };
}
