import { randomBytes, randomUUID } from 'node:crypto';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { removeStream } from '@webkiln/events/testing';
import { type Caller, serviceCaller } from '@webkiln/messages';
import { closePeers, connectPeers, generateSigningKey, peerState } from '@webkiln/rpc';
import { trustingVerifier } from '@webkiln/rpc/testing';
import { testCaller, until, useTestStore } from '@webkiln/store/testing';
import type { PaymentProvider } from '../billing/payments/provider.ts';
import { invitationTokens } from '../invitations/invitation-use-cases.ts';
import { serveClientsPlans } from '../server.ts';
import type { TestStream } from './test-stream.ts';

/** The signing key of every process of a test file. */
export const signing = generateSigningKey();
export const tokens = invitationTokens([randomBytes(32).toString('hex')]);

export const newOrganization = (): string => randomUUID();

/** Makes a POST repeatable: by an Idempotency-Key (explicit), or by its body. */
export const repeatable = (id: string, explicit = true): Pick<Caller, 'idempotency'> => ({ idempotency: { id, body: 'body', explicit } });

/** An owner of the organization, signed in. */
export const ownerOf = (org_id: string): Caller =>
  testCaller(org_id, { principal: { ...testCaller(org_id).principal, kind: 'session', account_id: 'ada', role: 'owner' } });

/** The caller of the activation page, which has only the token. */
export const activationPage = (): Caller => serviceCaller('gateway', '', 120_000);

/** The service projects-templates as the caller. */
export const projectsTemplates = (org: string): Caller => serviceCaller('projects-templates', org, 120_000);

/** Where the platform of these tests is. */
export const testOrigin = 'https://platform.example';

/**
 * Runs clients-plans in this process behind gRPC, on real stores, with its own database and stream. Without a provider
 * it takes no cards.
 */
export function useClientsPlans(identityAddress?: () => string, startProvider?: () => Promise<PaymentProvider>): TestStream {
  const name = `test_${randomBytes(6).toString('hex')}_`;
  const stream = { stream: name, subjectPrefix: name };
  let drain: () => Promise<void>;

  afterAll(async () => {
    await closePeers();
    await drain();
    await closeEvents();
    await removeStream(stream.stream);
  });
  // afterAll hooks run in this order: the database is dropped after its users are closed.
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'clients-plans', stream);
    startRelay();
    const settings = {
      verifier: trustingVerifier('clients-plans', signing.publicKey, ['clients-plans']),
      BIND_ADDRESS: '127.0.0.1',
      GRPC_PORT: 0,
    };
    const provider = (await startProvider?.()) ?? null;
    const server = await serveClientsPlans(settings, tokens, { origin: testOrigin, provider });
    drain = server.drain;
    const addresses = { 'clients-plans': `127.0.0.1:${server.port}`, identity: identityAddress?.() };
    connectPeers({ issuer: 'clients-plans', signingKey: signing.privateKey, transport: 'carried', addresses });
    await until(() => peerState('clients-plans') === 'ready');
    if (identityAddress !== undefined) await until(() => peerState('identity') === 'ready');
  });
  return stream;
}
