import { randomBytes } from 'node:crypto';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { ownStream, removeStream, type TestStream } from '@webkiln/events/testing';
import type { Caller } from '@webkiln/messages';
import { Outbound } from '@webkiln/outbound';
import { closePeers, connectPeers, generateSigningKey, peerState } from '@webkiln/rpc';
import { trustingVerifier } from '@webkiln/rpc/testing';
import { Keyring } from '@webkiln/sealing';
import { until, useTestStore } from '@webkiln/store/testing';
import { SigningSecrets } from '../endpoints/signing-secrets.ts';
import { onWebhookDeleted, onWebhookStopped } from '../reactions/on-webhook-ended.ts';
import { serveWebhooks } from '../server.ts';

const signing = generateSigningKey();
export const masterKey = randomBytes(32);
export const secrets = new SigningSecrets(new Keyring(new Map([['first', masterKey]])));
export const maxEndpoints = 5;
export const replaysPerSecond = 10;
export const retentionMs = 30 * 24 * 3600_000;

/** Allows any unprivileged port of this machine, also over plain HTTP. */
export const testOutbound = () =>
  new Outbound({ ports: [443, ...unprivileged], allowHttp: true, allowedCidrs: ['127.0.0.0/8'], dnsServers: [] });

/** Runs webhooks in this process on real stores, behind gRPC, without the dispatcher. */
export function useWebhooks(): TestStream {
  const stream = ownStream();
  const outbound = testOutbound();
  const parts = {
    outbound,
    secrets,
    actingMember: async ({ principal }: Caller) => (principal.kind === 'session' ? `member ${principal.account_id}` : null),
    maxEndpoints: async () => maxEndpoints,
    timeoutMs: 5_000,
    retentionMs,
    replaysPerSecond,
    pollBy: () => undefined,
  };
  let drain: () => Promise<void>;

  // Hooks run in registration order: the database is dropped after its users have stopped.
  afterAll(async () => {
    await closePeers();
    await drain();
    await closeEvents();
    await outbound.close();
    await removeStream(stream.stream);
  });
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'webhooks', stream);
    startRelay();
    onWebhookStopped();
    onWebhookDeleted();
    const settings = { verifier: trustingVerifier('webhooks', signing.publicKey), BIND_ADDRESS: '127.0.0.1', GRPC_PORT: 0 };
    const server = await serveWebhooks(settings, parts);
    drain = server.drain;
    const addresses = { webhooks: `127.0.0.1:${server.port}` };
    connectPeers({ issuer: 'test', signingKey: signing.privateKey, transport: 'carried', addresses });
    await until(() => peerState('webhooks') === 'ready');
  });
  return stream;
}

const unprivileged = Array.from({ length: 65_536 - 1024 }, (_, at) => at + 1024);
