import { randomBytes, randomUUID } from 'node:crypto';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { type Caller, callerFor, closePeers, connectPeers, generateSigningKey, servicePrincipal } from '@webkiln/rpc';
import { useTestStore } from '@webkiln/store/testing';
import { ClientModel } from '../clients/client-store.ts';
import { invitationTokens } from '../invitations/invitation-token.ts';
import { serveClientsPlans } from '../server.ts';
import { removeStream, type TestStream } from './test-stream.ts';

/** Signs for every process of a test file. */
export const signing = generateSigningKey();
export const tokens = invitationTokens(randomBytes(32).toString('hex'));

export const newOrganization = (): string => randomUUID();

/** What makes a POST repeatable: sent with an Idempotency-Key (explicit), or known by its body. */
export const repeatable = (id: string, explicit = true): Pick<Caller, 'idempotency'> => ({ idempotency: { id, body: 'body', explicit } });

/** Who the activation page is: it has nothing but the token. */
export const activationPage = (): Caller => callerFor(servicePrincipal('gateway', ''), { timeoutMs: 120_000 });

/** Runs clients-plans in this process on real stores, with a database and a stream of its own, behind gRPC. */
export function useClientsPlans(identityAddress?: () => string): TestStream {
  const name = `test_${randomBytes(6).toString('hex')}_`;
  const stream = { stream: name, subjectPrefix: name };
  let drain: () => Promise<void>;

  afterAll(async () => {
    await closePeers();
    await drain();
    await closeEvents();
    await removeStream(stream);
  });
  // Hooks run in the order they stand in: its database goes after what uses it.
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'clients-plans', stream);
    startRelay([ClientModel]);
    const settings = { PRINCIPAL_TRUSTED_KEYS: { test: [signing.publicKey] }, BIND_ADDRESS: '127.0.0.1', GRPC_PORT: 0 };
    const server = await serveClientsPlans(settings, tokens);
    drain = server.drain;
    const addresses = { 'clients-plans': `127.0.0.1:${server.port}`, identity: identityAddress?.() };
    connectPeers({ issuer: 'test', signingKey: signing.privateKey, transport: 'carried', addresses });
  });
  return stream;
}
