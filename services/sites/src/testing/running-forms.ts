import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { ownStream, removeStream, type TestStream } from '@webkiln/events/testing';
import { createHttpServer } from '@webkiln/http';
import type { ServiceName } from '@webkiln/messages';
import { closePeers, connectPeers, peerState, type Serving, serve } from '@webkiln/rpc';
import { keys, type Runs, trustingVerifier, useCasesOf } from '@webkiln/rpc/testing';
import { until, useTestStore } from '@webkiln/store/testing';
import { acceptSubmission, createPseudonymizer } from '../forms/intake/accept-submission.ts';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import { onProjectMoved } from '../reactions/on-project-moved.ts';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { serveSites } from '../server.ts';
import { FormPosts } from '../serving/forms/form-posts.ts';
import { methodNotAllowed } from '../serving/plain-page.ts';
import { clientsHandlers, contents, identityHandlers, projectsHandlers } from './test-sites.ts';

const serveFake = (service: ServiceName, runs: Runs): Promise<Serving> => {
  const verifier = trustingVerifier(service, keys.publicKey);
  return serve({ service, useCases: useCasesOf(service, runs), verifier, bind: '127.0.0.1', port: 0 });
};

interface RunningForms {
  port: number;
  /** "host:port" of projects-templates. */
  projects: string;
  readonly stream: TestStream;
  /** Stops projects-templates for the rest of the test file. */
  stopProjects(): Promise<void>;
}

/**
 * Serves forms from this process over HTTP and gRPC on real stores. projects-templates, clients-plans and identity are
 * fakes that know every `newSite`.
 */
export function useForms({ maxPerSiteHour = 1000, now = () => new Date() } = {}): RunningForms {
  const stream = ownStream();
  const servers: Serving[] = [];
  const resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive: () => true, isReachable: () => true });
  const accepting = { pseudonymize: createPseudonymizer('secret'), maxPerSiteHour, now };
  const forms = new FormPosts({
    resolutions,
    nameOf: siteNames('sites.test'),
    readOnly: methodNotAllowed,
    read: async (file) => Buffer.from(contents.get(file.representation('').sha256) ?? ''),
    accept: (sent) => acceptSubmission(accepting, sent),
  });
  const http = createHttpServer(forms.handle);
  const running: RunningForms = { port: 0, projects: '', stream, stopProjects: async () => servers.shift()?.drain() };

  // Hooks run in order of registration: the database must close after everything that uses it.
  afterAll(async () => {
    http.closeAllConnections();
    http.close();
    await closePeers();
    await Promise.all(servers.map((server) => server.drain()));
    await closeEvents();
    await removeStream(stream.stream);
  });
  useTestStore();
  beforeAll(async () => {
    await connectEvents(process.env.NATS_URL ?? '', 'sites', stream);
    startRelay();
    onProjectDeleted();
    onProjectMoved();
    const settings = { verifier: trustingVerifier('sites', keys.publicKey), BIND_ADDRESS: '127.0.0.1', GRPC_PORT: 0 };
    servers.push(
      await serveFake('projects-templates', projectsHandlers),
      await serveFake('clients-plans', clientsHandlers),
      await serveFake('identity', identityHandlers),
      await serveSites(settings),
    );
    const [projects = '', clients, identity, sites] = servers.map(({ port }) => `127.0.0.1:${port}`);
    const addresses = { 'projects-templates': projects, 'clients-plans': clients, identity, sites };
    running.projects = projects;
    connectPeers({ issuer: 'test', signingKey: keys.privateKey, transport: 'carried', addresses });
    await until(() => Object.keys(addresses).every((name) => peerState(name as ServiceName) === 'ready'));
    await once(http.listen(0, '127.0.0.1'), 'listening');
    running.port = (http.address() as AddressInfo).port;
  });
  return running;
}
