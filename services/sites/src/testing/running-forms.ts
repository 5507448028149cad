import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, type EventEnvelope, siteNames } from '@webkiln/contract';
import { closeEvents, connectEvents, startRelay } from '@webkiln/events';
import { messagesOn, ownStream, removeStream, type TestStream } from '@webkiln/events/testing';
import { closePeers, connectPeers, createVerifier, type ServiceName, type Serving, serve } from '@webkiln/rpc';
import { keys, type Runs, useCasesOf } from '@webkiln/rpc/testing';
import { createHttpServer } from '@webkiln/runtime';
import { scoped, waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { acceptSubmission } from '../forms/accept-submission.ts';
import { SubmissionModel } from '../forms/submission-store.ts';
import { visitorNames } from '../forms/visitor.ts';
import { onProjectDeleted } from '../reactions/on-project-deleted.ts';
import { Resolutions } from '../resolutions/resolutions.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { serveSites } from '../server.ts';
import { FormPosts } from '../serving/form-posts.ts';
import type { Shown } from './visit.ts';

/** A published site, as projects-templates would answer for it. */
export interface TestSite {
  readonly name: string;
  /** Of the project; the site's name unless said otherwise. */
  readonly title: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly client_id: string;
  suspended: boolean;
  /** projects-templates does not know it any more. */
  gone: boolean;
}

const sites = new Map<string, TestSite>();

export function newSite(more: Partial<TestSite> = {}): TestSite {
  const name = `site-${randomUUID().slice(0, 8)}`;
  const site = {
    name,
    title: name,
    org_id: randomUUID(),
    project_id: randomUUID(),
    client_id: randomUUID(),
    suspended: false,
    gone: false,
    ...more,
  };
  sites.set(name, site);
  return site;
}

const projectOf = ({ name, title, org_id, project_id: id, client_id }: TestSite) => ({
  ...{ id, org_id, user_id: client_id, org_client_id: client_id, name: title, status: 'active', subdomain: name },
  published_url: `https://${name}.sites.test`,
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
});

/** What projects-templates answers about these sites. */
export const projectsRuns: Runs = {
  'sites.ResolveSite': async ({ name }) => {
    const site = sites.get(name);
    return site === undefined ? { found: false } : { ...site, found: true, deploy_id: 'deploy', files: [] };
  },
  'projects.GetProject': async ({ project_id }, { principal }) => {
    const site = [...sites.values()].find((each) => each.project_id === project_id && each.org_id === principal.org_id);
    if (site === undefined || site.gone) throw new AppError('project_not_found');
    return { project: projectOf(site) };
  },
};

const clientsRuns: Runs = {
  'clients.GetClient': async ({ client_id: id }) => {
    const site = [...sites.values()].find(({ client_id }) => client_id === id);
    if (site === undefined) throw new AppError('client_not_found');
    return { client: { id, email: clientEmail(site), status: 'active', payment_status: 'none', created_at: '2026-03-01T00:00:00.000Z' } };
  },
};

export const clientEmail = ({ client_id }: Pick<TestSite, 'client_id'>) => `${client_id}@example.com`;

export const serveRuns = (service: ServiceName, runs: Runs): Promise<Serving> => {
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

/** Takes forms in this process on real stores, behind HTTP and gRPC, beside projects-templates and clients-plans that answer for `newSite`s. */
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
      await serveSites(settings),
    );
    const [projects = 0, clients = 0, own = 0] = servers.map(({ port }) => port);
    const addresses = { 'projects-templates': `127.0.0.1:${projects}`, 'clients-plans': `127.0.0.1:${clients}`, sites: `127.0.0.1:${own}` };
    running.projects = addresses['projects-templates'];
    connectPeers({ issuer: 'test', signingKey: keys.privateKey, transport: 'carried', addresses });
    await once(http.listen(0, '127.0.0.1'), 'listening');
    running.port = (http.address() as AddressInfo).port;
  });
  return running;
}

const newAddress = () => `10.${[...randomBytes(3)].join('.')}`;

export interface Post {
  readonly form?: string;
  /** The path, in place of a form's. */
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the visitor; each has his own. */
  readonly address?: string;
}

/** Sends a form to a site as a browser does, and returns what comes back. */
export async function post(port: number, site: TestSite, body: string | Buffer, more: Post = {}): Promise<Shown> {
  const { form = 'contact', path = `/_forms/${form}`, method = 'POST', type = 'application/x-www-form-urlencoded' } = more;
  const host = `${site.name}.sites.test`;
  const sender = { 'x-webkiln-client-address': more.address ?? newAddress() };
  const length = more.headers?.['transfer-encoding'] === undefined ? { 'content-length': Buffer.byteLength(body) } : {};
  const headers = { host, 'content-type': type, ...length, ...sender, ...more.headers };
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end(body);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** All that was kept of a site, oldest first, spam too. */
export const keptOf = ({ org_id, project_id }: TestSite) =>
  scoped(SubmissionModel, { org_id }).find({ project_id }, { sort: { submitted_at: 1 } });

type Submitted = EventEnvelope<'form.submitted'>;

/** What was told of a site, once no outbox holds anything more. */
export async function toldOf(stream: TestStream, { org_id, project_id }: TestSite): Promise<Submitted[]> {
  await until(async () => (await waitingRecords(SubmissionModel, 1)).length === 0);
  const events = (await messagesOn(stream.stream)).map((message) => message.json<Submitted>());
  return events.filter(({ type, org_id: org, data }) => type === 'form.submitted' && org === org_id && data.project.id === project_id);
}
