import type { AddressInfo } from 'node:net';
import { AppError } from '@webkiln/contract';
import { closeEvents, connectEvents } from '@webkiln/events/listening';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { drainHttp, type RunningService, readConfig, runService } from '@webkiln/runtime';
import { addressQuotas } from './address-quota.ts';
import { Admission } from './admission.ts';
import { Answers } from './answer.ts';
import { Api } from './api.ts';
import { createApp, createHttpServer, refuse } from './app.ts';
import { clientAddress } from './client-address.ts';
import { GatewayConfig } from './config.ts';
import { Dashboard } from './dashboard.ts';
import { dispatchByHost } from './dispatch-by-host.ts';
import { Docs } from './docs.ts';
import { HttpProxy } from './http-proxy.ts';
import { KeyUse } from './key-use.ts';
import { liveVerdicts } from './live-verdicts.ts';
import { Logos } from './logos.ts';
import { Routes } from './operation.ts';
import { pages } from './pages.ts';
import { RateLimiter } from './rate-limit.ts';
import { Replicas } from './replicas.ts';
import { RequestLog } from './request-log.ts';
import { RunOperation } from './run-operation.ts';
import { signIn } from './sign-in.ts';

/** Of the activation form, per window and address. */
const submissionsPerWindow = 20;

async function start(): Promise<RunningService> {
  const config = readConfig(GatewayConfig);
  const baseUrl = `${config.ORIGIN}/api/v1`;
  await connectEvents(config.NATS_URL, 'gateway', { subjectPrefix: config.EVENTS_PREFIX });
  connectPeers({
    issuer: 'gateway',
    signingKey: config.PRINCIPAL_SIGNING_KEY,
    transport: config.RPC_TRANSPORT,
    addresses: {
      identity: config.IDENTITY_ADDRESS,
      'clients-plans': config.CLIENTS_PLANS_ADDRESS,
      'projects-templates': config.PROJECTS_TEMPLATES_ADDRESS,
      webhooks: config.WEBHOOKS_ADDRESS,
      sites: config.SITES_ADDRESS,
      analytics: config.ANALYTICS_ADDRESS,
    },
  });

  const { keys, sessions } = liveVerdicts();
  const limiter: RateLimiter = new RateLimiter({
    redisUrl: config.REDIS_URL,
    redisTimeoutMs: config.REDIS_TIMEOUT_MS,
    windowMs: config.RATE_WINDOW_MS,
    replicas: () => replicas.alive,
  });
  const replicas = new Replicas(limiter.redis);
  const keyUse = new KeyUse();
  const requestStream = answeredRequests(theBus());
  const requests = new RequestLog({ publish: (batch) => requestStream.publish(batch) });
  const answers = new Answers({ windowMs: config.RATE_WINDOW_MS, deprecatedAt: config.DEPRECATED_AT, sunsetAt: config.SUNSET_AT });
  const addressOf = clientAddress(config.TRUSTED_PROXIES);
  const admission = new Admission({
    keys,
    sessions,
    keyUse,
    limiter,
    quota: config.RATE_LIMIT,
    sessionQuota: config.SESSION_RATE_LIMIT,
    origin: config.ORIGIN,
    clientAddress: addressOf,
  });
  const api = new Api({
    routes: new Routes(),
    answers,
    admission,
    sessions,
    requests,
    docs: new Docs(answers, baseUrl),
    run: new RunOperation({ answers, timeoutMs: config.REQUEST_TIMEOUT_MS, baseUrl }),
  });
  const behind = (service: string, addresses: string) => new HttpProxy({ service, addresses, clientAddress: addressOf });
  const identity = new HttpProxy({
    service: 'identity',
    addresses: config.IDENTITY_HTTP_ADDRESS,
    clientAddress: addressOf,
    unreachable: (response) => refuse(response, new AppError('unavailable')),
  });
  const sites = behind('sites', config.SITES_HTTP_ADDRESS);
  const analytics = behind('analytics', config.ANALYTICS_HTTP_ADDRESS);
  const domains = { sites: new URL(config.SITES_ORIGIN).hostname, previews: new URL(config.PREVIEW_ORIGIN).hostname };
  const perAddress = addressQuotas(limiter, addressOf);
  const app = createApp({
    api,
    signIn: signIn({ identity, countRequest: perAddress('sign-in', config.RATE_LIMIT) }),
    pages: pages({
      logos: new Logos(perAddress('logo', config.RATE_LIMIT)),
      countSubmission: perAddress('activate', submissionsPerWindow),
    }),
    dashboard: new Dashboard({ folder: config.DASHBOARD_DIR, sitesOrigin: config.SITES_ORIGIN, previewOrigin: config.PREVIEW_ORIGIN }),
  });
  const server = createHttpServer(dispatchByHost(domains, { sites: sites.handle, analytics: analytics.handle, origin: app }));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(config.PORT, resolve));

  return {
    ports: { http: (server.address() as AddressInfo).port },
    checks: { identity: () => assertReachable('identity') },
    async stop() {
      await drainHttp(server);
      await Promise.all([identity.close(), sites.close(), analytics.close()]);
      await Promise.all([replicas.leave(), keyUse.close(), requests.close()]);
      await limiter.close();
      await closePeers();
      await closeEvents();
    },
  };
}

function assertReachable(service: 'identity'): void {
  if (peerState(service) !== 'ready') throw new Error(`${service} cannot be reached`);
}

await runService('gateway', start);
