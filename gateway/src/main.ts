import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppError } from '@webkiln/contract';
import { closeEvents, connectEvents, eventsOptions } from '@webkiln/events/listening';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { drainHttp } from '@webkiln/http';
import { type HttpServiceName, httpAddressSetting } from '@webkiln/messages';
import { closePeers, connectPeersOf, peerState } from '@webkiln/rpc';
import { type RunningService, readConfig, runService } from '@webkiln/runtime';
import { Api } from './api/api.ts';
import { ResponseWriter } from './api/response-writer.ts';
import { Routes } from './api/routes.ts';
import { RunOperation } from './api/run-operation.ts';
import { createApp } from './app.ts';
import { TurnReplies } from './chat/turn-replies.ts';
import { GatewayConfig } from './config.ts';
import { Admission } from './credentials/admission.ts';
import { CredentialUse } from './credentials/credential-use.ts';
import { openCredentialCaches } from './credentials/open-credential-caches.ts';
import { showBuildLink, showBuildOrganization } from './embed/build-links.ts';
import { EmbedClientAdmission } from './embed/embed-client-admission.ts';
import { SessionEntrance } from './embed/session-entrance.ts';
import { createHttpServer, refuse } from './http-server.ts';
import { credentialSlots, proxyLimits, serverLimits, streamSlots, uploadsOf } from './in-flight/limits.ts';
import { UnsentBytes } from './in-flight/unsent-bytes.ts';
import { WritePace } from './in-flight/write-pace.ts';
import { McpEntrance } from './mcp/mcp-entrance.ts';
import { Dashboard } from './pages/dashboard.ts';
import { Docs } from './pages/docs.ts';
import { Logos } from './pages/logos.ts';
import { pages } from './pages/pages.ts';
import { clientAddress } from './proxy/client-address.ts';
import { openCustomDomains } from './proxy/custom-domains.ts';
import { dispatchByHost } from './proxy/dispatch-by-host.ts';
import { HttpProxy } from './proxy/http-proxy.ts';
import { addressQuotas } from './rate-limit/address-quota.ts';
import { RateLimiter } from './rate-limit/rate-limiter.ts';
import { ReplicaCount } from './rate-limit/replica-count.ts';
import { slowRefusedForms } from './rate-limit/slowed-forms.ts';
import { SlowedRefusals } from './rate-limit/slowed-refusals.ts';
import { RequestLog } from './request-log/request-log.ts';

/** Limit of the activation form per window and client address. */
const submissionsPerWindow = 20;

async function start(): Promise<RunningService> {
  const config = readConfig(GatewayConfig);
  const baseUrl = `${config.ORIGIN}/api/v1`;
  await connectEvents(config.NATS_URL, 'gateway', eventsOptions(config));
  connectPeersOf('gateway', config);

  const caches = openCredentialCaches();
  const limiter: RateLimiter = new RateLimiter({
    redisUrl: config.REDIS_URL,
    redisTimeoutMs: config.REDIS_TIMEOUT_MS,
    windowMs: config.RATE_WINDOW_MS,
    replicas: () => replicas.alive,
  });
  const replicas = new ReplicaCount(limiter.redis);
  const slowedRefusals = new SlowedRefusals();
  const credentialUse = new CredentialUse();
  const requestStream = answeredRequests(theBus());
  const requestLog = new RequestLog({ publish: (batch) => requestStream.publish(batch) });
  const clientAddressOf = clientAddress(config.TRUSTED_PROXIES);
  const writing = {
    origin: config.ORIGIN,
    windowMs: config.RATE_WINDOW_MS,
    deprecatedAt: config.DEPRECATED_AT,
    sunsetAt: config.SUNSET_AT,
    unsent: new UnsentBytes({ maxPerCredential: config.CREDENTIAL_UNSENT_MB, maxPerNetwork: config.NETWORK_UNSENT_MB }),
    clientAddress: clientAddressOf,
  };
  const responses = new ResponseWriter(writing);
  const admission = new Admission({
    caches,
    credentialUse,
    limiter,
    slowedRefusals,
    quota: config.RATE_LIMIT,
    sessionQuota: config.SESSION_RATE_LIMIT,
    organizationQuota: config.QUOTA_REQUESTS,
    origin: config.ORIGIN,
    clientAddress: clientAddressOf,
  });
  const turns = new TurnReplies(responses, streamSlots(config));
  const slots = credentialSlots(config);
  const writePace = new WritePace(config.QUEUE_TIMEOUT_MS);
  const api = new Api({
    routes: new Routes(),
    responses,
    admission,
    sessions: caches.sessions,
    requestLog,
    slots,
    writePace,
    docs: new Docs(responses, baseUrl),
    run: new RunOperation({ responses, timeoutMs: config.REQUEST_TIMEOUT_MS, baseUrl, turns, uploads: uploadsOf(config) }),
  });
  const limits = proxyLimits(config);
  const proxyTo = (service: HttpServiceName, refusal?: (response: ServerResponse, error: AppError) => void) =>
    new HttpProxy({ service, addresses: config[httpAddressSetting(service)], clientAddress: clientAddressOf, limits, refuse: refusal });
  const identity = proxyTo('identity', refuse);
  const sites = proxyTo('sites');
  const analytics = proxyTo('analytics');
  const own = { origin: config.ORIGIN, timeoutMs: config.REQUEST_TIMEOUT_MS, clientAddress: clientAddressOf, responses, requestLog };
  const agents = new McpEntrance({ ...own, admission, slots, writePace });
  const embedClients = new EmbedClientAdmission({
    ...{ admission, limiter, slowedRefusals, clientAddress: clientAddressOf },
    ...{ quota: config.RATE_LIMIT, organizationQuota: config.QUOTA_REQUESTS },
  });
  const [sitesHost, previews, originHost] = [config.SITES_ORIGIN, config.PREVIEW_ORIGIN, config.ORIGIN].map((url) => new URL(url).hostname);
  const domains = { sites: sitesHost ?? '', previews: previews ?? '', origin: originHost ?? '' };
  const perAddress = addressQuotas(limiter, slowedRefusals, clientAddressOf);
  const app = createApp({
    api,
    identity,
    countSignIn: perAddress('sign-in', config.RATE_LIMIT),
    countOauth: perAddress('oauth', config.RATE_LIMIT),
    pages: pages({
      logos: new Logos(perAddress('logo', config.RATE_LIMIT)),
      countSubmission: perAddress('activate', submissionsPerWindow),
      countAnswer: perAddress('form-mails', config.RATE_LIMIT),
    }),
    embedSession: new SessionEntrance({
      ...own,
      admission: embedClients,
      responses: new ResponseWriter({ ...writing, forServersOnly: true }),
    }).handle,
    buildLink: showBuildLink(perAddress('build-link', config.RATE_LIMIT), config.REQUEST_TIMEOUT_MS),
    buildOrganization: showBuildOrganization(perAddress('build-organization', config.RATE_LIMIT), config.REQUEST_TIMEOUT_MS),
    dashboard: new Dashboard({ folder: config.DASHBOARD_DIR, sitesOrigin: config.SITES_ORIGIN, previewOrigin: config.PREVIEW_ORIGIN }),
  });
  const hosts = dispatchByHost(domains, openCustomDomains(), {
    sites: slowRefusedForms(slowedRefusals, sites.handle),
    analytics: analytics.handle,
    origin: app,
    mcp: agents.handle,
  });
  const server = createHttpServer(hosts, serverLimits(config));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, resolve));

  return {
    ports: { http: (server.address() as AddressInfo).port },
    checks: { identity: () => assertReachable('identity') },
    async stop() {
      await drainHttp(server, () => turns.close());
      await Promise.all([identity.close(), sites.close(), analytics.close()]);
      await Promise.all([replicas.leave(), credentialUse.close(), requestLog.close()]);
      await limiter.close();
      await closePeers();
      await closeEvents();
    },
  };
}

function assertReachable(service: 'identity'): void {
  if (peerState(service) !== 'ready') throw new Error(`${service} is unreachable`);
}

await runService('gateway', start);
