import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { siteNames } from '@webkiln/contract';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { ownStream, removeStream, type TestStream } from '@webkiln/events/testing';
import { closePeers, connectPeers, createVerifier, type ServiceName, type Serving, serve } from '@webkiln/rpc';
import { keys, type Runs, useCasesOf } from '@webkiln/rpc/testing';
import { createHttpServer } from '@webkiln/runtime';
import { useTestStore } from '@webkiln/store/testing';
import { acceptSubmission } from '../forms/accept-submission.ts';
import { SubmissionModel } from '../forms/submission-store.ts';
import { visitorNames } from '../forms/visitor.ts';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import { Resolutions } from '../resolutions/resolutions.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { serveSites } from '../server.ts';
import { FormPosts } from '../serving/form-posts.ts';
import { clientsRuns, identityRuns, projectsRuns } from './test-sites.ts';

const serveRuns = (service: ServiceName, runs: Runs): Promise<Serving> => {
  const verifier = createVerifier({ service, trustedKeys: { test: keys.publicKey, sites: keys.publicKey } });
  return serve({ service, useCases: useCasesOf(service, runs), verifier, bind: '127.0.0.1', port: 0 });
};

export interface RunningForms {
  port: number;
  /** "host:port" of projects-templates. */
  projects: string;
  readonly stream: TestStream;
  /** projects-templates goes away for good. */
  endProjects(): Promise<void>;
}

/** Takes forms in this process on real stores, behind HTTP and gRPC, beside projects-templates, clients-plans and identity that answer for `newSite`s. */
export function useForms({ perSiteHour = 1000, now = () => new Date() } = {}): RunningForms {
  const stream = ownStream();
  const servers: Serving[] = [];
  const resolutions = new Resolutions({ resolve: resolveSite, feedIsLive: () => true, canAsk: () => true });
  const accepting = { visitorName: visitorNames('secret'), perSiteHour, now };
  const forms = new FormPosts({ resolutions, nameOf: siteNames('sites.test'), accept: (sent) => acceptSubmission(accepting, sent) });
  const http = createHttpServer(forms.handle);
  const running: RunningForms = { port: 0, projects: '', stream, endProjects: async () => servers.shift()?.drain() };

  // Hooks run in the order they stand in: the database goes after what uses it.
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
    startRelay([SubmissionModel]);
    onProjectDeleted();
    const settings = { PRINCIPAL_TRUSTED_KEYS: { test: [keys.publicKey] }, BIND_ADDRESS: '127.0.0.1', GRPC_PORT: 0 };
    servers.push(
      await serveRuns('projects-templates', projectsRuns),
      await serveRuns('clients-plans', clientsRuns),
      await serveRuns('identity', identityRuns),
      await serveSites(settings),
    );
    const [projects = '', clients, identity, sites] = servers.map(({ port }) => `127.0.0.1:${port}`);
    const addresses = { 'projects-templates': projects, 'clients-plans': clients, identity, sites };
    running.projects = projects;
    connectPeers({ issuer: 'test', signingKey: keys.privateKey, transport: 'carried', addresses });
    await once(http.listen(0, '127.0.0.1'), 'listening');
    running.port = (http.address() as AddressInfo).port;
  });
  return running;
}
