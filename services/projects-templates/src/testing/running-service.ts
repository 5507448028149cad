import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { closePeers, connectPeers, generateSigningKey, type Serving } from '@webkiln/rpc';
import { useTestStore } from '@webkiln/store/testing';
import { ProjectModel } from '../projects/project-store.ts';
import { serveProjectsTemplates } from '../server.ts';
import { TemplateModel } from '../templates/template-store.ts';
import { serveKnownClients } from './known-clients.ts';
import { newTestStream, removeStream, type TestStream } from './test-stream.ts';

/** Signs for every process of a test file. */
export const signing = generateSigningKey();
export const origin = 'https://app.example.com';
export const sitesOrigin = 'https://sites.example.net';
export const previewOrigin = 'https://preview.example.net';
export const previewSecret = 'a secret of at least thirty-two characters';

/** Runs projects-templates in this process on real stores, behind gRPC and beside clients-plans that answers for `knownClient`s. */
export function useProjectsTemplates(): TestStream {
  const stream = newTestStream();
  const servers: Serving[] = [];

  // Hooks run in the order they stand in: the database goes after what uses it.
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.drain()));
    await closePeers();
    await closeEvents();
    await removeStream(stream);
  });
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'projects-templates', stream);
    startRelay([ProjectModel, TemplateModel]);
    const clients = await serveKnownClients(signing.publicKey);
    const settings = {
      PRINCIPAL_TRUSTED_KEYS: { test: [signing.publicKey] },
      BIND_ADDRESS: '127.0.0.1',
      GRPC_PORT: 0,
      ORIGIN: origin,
      SITES_ORIGIN: sitesOrigin,
      PREVIEW_ORIGIN: previewOrigin,
      PREVIEW_SECRET: previewSecret,
    };
    const projects = await serveProjectsTemplates(settings);
    servers.push(clients, projects);
    connectPeers({
      issuer: 'test',
      signingKey: signing.privateKey,
      transport: 'carried',
      addresses: { 'clients-plans': `127.0.0.1:${clients.port}`, 'projects-templates': `127.0.0.1:${projects.port}` },
    });
  });
  return stream;
}
