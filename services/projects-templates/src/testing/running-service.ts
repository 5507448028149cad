import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { closePeers, connectPeers, generateSigningKey, peerState, type Serving } from '@webkiln/rpc';
import { trustingVerifier } from '@webkiln/rpc/testing';
import { until, useTestStore } from '@webkiln/store/testing';
import { targetOf } from '../domains/domain-name.ts';
import { DomainLookups } from '../domains/look-up.ts';
import { serveProjectsTemplates } from '../server.ts';
import { serveFakeClientsPlans } from './fake-clients-plans.ts';
import { newTestStream, removeStream, type TestStream } from './test-stream.ts';

/** The signing key of all processes of a test file. */
export const signing = generateSigningKey();
export const origin = 'https://app.example.com';
export const sitesOrigin = 'https://sites.example.net';
export const previewOrigin = 'https://preview.example.net';
export const previewSecret = 'a secret of at least thirty-two characters';

const target = targetOf({ ORIGIN: origin, SITES_ORIGIN: sitesOrigin, PREVIEW_ORIGIN: previewOrigin, SITES_ADDRESSES: ['192.0.2.1'] });

/** Runs projects-templates in this process, on real stores and over gRPC, beside a fake clients-plans. */
export function useProjectsTemplates({ nameServers = () => ['127.0.0.1:9'] }: { nameServers?: () => string[] } = {}): TestStream {
  const stream = newTestStream();
  const servers: Serving[] = [];

  // Hooks run in this order: the database is dropped after everything that uses it has stopped.
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.drain()));
    await closePeers();
    await closeEvents();
    await removeStream(stream);
  });
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'projects-templates', stream);
    startRelay();
    const clients = await serveFakeClientsPlans(signing.publicKey);
    const settings = {
      verifier: trustingVerifier('projects-templates', signing.publicKey),
      BIND_ADDRESS: '127.0.0.1',
      GRPC_PORT: 0,
      ORIGIN: origin,
      SITES_ORIGIN: sitesOrigin,
      PREVIEW_ORIGIN: previewOrigin,
      PREVIEW_SECRET: [previewSecret] as const,
      target,
      lookups: new DomainLookups({ servers: nameServers(), target }),
    };
    const projects = await serveProjectsTemplates(settings);
    servers.push(clients, projects);
    connectPeers({
      issuer: 'test',
      signingKey: signing.privateKey,
      transport: 'carried',
      addresses: { 'clients-plans': `127.0.0.1:${clients.port}`, 'projects-templates': `127.0.0.1:${projects.port}` },
    });
    await until(() => peerState('projects-templates') === 'ready');
  });
  return stream;
}
