import type { IncomingMessage, RequestListener } from 'node:http';
import { AppError, type ErrorCode } from '@webkiln/contract';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { oauthPaths, oauthResourcePaths } from '@webkiln/messages';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { Admission } from './admission/admit.ts';
import { Authenticator, CredentialUse } from './admission/authenticate.ts';
import { requestSlots, streamSlots, UnsentBytes, WritePace } from './admission/bounds.ts';
import { openCredentialCaches } from './admission/introspect.ts';
import { type AddressQuota, Quotas, SlowedRefusals } from './admission/quotas.ts';
import type { RateLimiter } from './admission/rate-limiter.ts';
import { Api } from './api/api.ts';
import { LargeBodies } from './api/large-bodies.ts';
import { RequestLog } from './api/request-log.ts';
import { ResponseWriter, refuse } from './api/response-writer.ts';
import { TurnStreamResponses } from './api/turn-stream-response.ts';
import { Uploads } from './api/uploads.ts';
import type { GatewayConfig } from './config.ts';
import { agencyOfLink, showBuildLink } from './embed/build-links.ts';
import { SessionHandler } from './embed/session-handler.ts';
import { McpHandler } from './mcp/mcp.ts';
import { Dashboard } from './pages/dashboard.ts';
import { Docs } from './pages/docs.ts';
import { DocsSite } from './pages/docs-site.ts';
import { machinePages } from './pages/machine-pages.ts';
import { pages, type SignIn } from './pages/pages.ts';

const apiPath = '/api/v1';
/** Limit of the activation form per window and client address. */
const submissionsPerWindow = 20;
/** A payment provider sends from a few addresses; each message costs the check of its signature. */
const paymentEventsPerWindow = 6_000;

interface Outside {
  /** Forwards a request to identity. */
  readonly identity: RequestListener;
  readonly signIn: SignIn;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly clientIp: (request: IncomingMessage) => string | undefined;
  readonly limiter: RateLimiter;
}

interface Handlers {
  /** Everything on the platform's own host but agents. */
  readonly origin: RequestListener;
  /** Agents' messages. */
  readonly mcp: RequestListener;
  readonly slowedRefusals: SlowedRefusals;
  /** Ends the streams of turns, for a gateway that stops. */
  closeStreams(): void;
  close(): Promise<void>;
}

/**
 * Creates the request handlers on the platform's own host, and what they share, so that each limit counts over all of
 * them. Requires the connection to NATS.
 */
export function createHandlers(config: GatewayConfig, { identity, signIn, clientAddress, clientIp, limiter }: Outside): Handlers {
  const { ORIGIN: origin, RATE_LIMIT: quota, REQUEST_TIMEOUT_MS: timeoutMs } = config;
  const caches = openCredentialCaches();
  const slowedRefusals = new SlowedRefusals();
  const credentialUse = new CredentialUse();
  const requestStream = answeredRequests(theBus());
  const requestLog = new RequestLog({ publish: (batch) => requestStream.publish(batch) });
  const quotas = new Quotas({
    ...{ limiter, slowedRefusals, clientAddress, quota },
    sessionQuota: config.SESSION_RATE_LIMIT,
    organizationQuota: config.QUOTA_REQUESTS,
  });
  const admission = new Admission({
    ...{ quotas, credentialUse, origin, clientAddress, clientIp },
    authenticator: new Authenticator({ caches, limiter, clientAddress }),
    slots: requestSlots(config),
    writePace: new WritePace(config.QUEUE_TIMEOUT_MS),
    streamSlots: streamSlots(config),
  });
  const writing = {
    ...{ origin, clientAddress },
    windowMs: config.RATE_WINDOW_MS,
    deprecatedAt: config.DEPRECATED_AT,
    sunsetAt: config.SUNSET_AT,
    unsent: new UnsentBytes({ maxPerCredential: config.CREDENTIAL_UNSENT_MB, maxPerNetwork: config.NETWORK_UNSENT_MB }),
  };
  const responses = new ResponseWriter(writing);
  const turns = new TurnStreamResponses(responses);
  const shared = { origin, admission, requestLog, timeoutMs };
  const baseUrl = `${origin}${apiPath}`;
  const largeBodies = new LargeBodies();
  const docsSite = new DocsSite(config.DOCS_DIR);
  const docs = new Docs(responses, origin, baseUrl, docsSite.pages);
  const api = new Api({
    ...{ ...shared, responses, turns, baseUrl, largeBodies },
    sessions: caches.sessions,
    docs,
    uploads: new Uploads({ folder: config.UPLOADS_DIR, maxBytes: config.UPLOADS_MB }),
    resources: oauthResourcePaths.map((path) => origin + path),
  });
  // Its readers are servers: no page of a browser may read the responses.
  const sessionResponses = new ResponseWriter({ ...writing, forServersOnly: true });
  const embedSession = new SessionHandler({ ...shared, clientAddress, responses: sessionResponses });
  const dashboard = new Dashboard({
    origin,
    folder: config.DASHBOARD_DIR,
    sitesOrigin: config.SITES_ORIGIN,
    previewOrigin: config.PREVIEW_ORIGIN,
  });

  const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(apiPath, api.handle);
  app.use('/api/embed/session', embedSession.handle);
  const countBuildLink = quotas.perAddress('build-link');
  app.get('/api/build-links/:id', showBuildLink(countBuildLink, timeoutMs));
  app.use('/api/auth', counted(identity, quotas.perAddress('sign-in')));
  app.use([...oauthPaths], counted(identity, quotas.perAddress('oauth')));
  app.use(
    pages({
      origin,
      signIn,
      countLogo: quotas.perAddress('logo'),
      countSubmission: quotas.perAddress('activate', submissionsPerWindow),
      countAnswer: quotas.perAddress('form-mails'),
      countInvoice: quotas.perAddress('invoice'),
      countPaymentEvent: quotas.perAddress('payment-event', paymentEventsPerWindow),
    }),
  );
  app.use(docsSite.routes(origin));
  app.use(machinePages({ origin, docs, securityContact: config.SECURITY_CONTACT }));
  app.get('/build', (request, response, next) => {
    if (typeof request.query.l !== 'string') return next();
    return dashboard.sendBuild(request, response, (id) => agencyOfLink(request, id, countBuildLink, timeoutMs));
  });
  app.get('/builder/:projectId', (request, response) => dashboard.sendBuilder(request, response));
  app.use((request, response, next) => dashboard.handle(request, response) || next(new AppError('route_not_found')));
  app.use(onError);

  return {
    origin(request, response) {
      const { url = '' } = request;
      if (!url.startsWith(`${apiPath}/`)) return void app(request, response);
      // Most requests: they need no router of Express, which would take a twentieth of the gateway's time for them.
      request.url = url.slice(apiPath.length);
      api.handle(request, response);
    },
    mcp: new McpHandler({ ...shared, responses, turns }).handle,
    slowedRefusals,
    closeStreams: () => turns.close(),
    async close() {
      await Promise.all([credentialUse.close(), requestLog.close(), largeBodies.close()]);
    },
  };
}

/** Counts a request against its address, and handles it with the full path. */
function counted(handle: RequestListener, count: AddressQuota): RequestHandler {
  return async (request, response) => {
    await count(request);
    request.url = request.originalUrl;
    handle(request, response);
  };
}

/** Errors of Express itself (a malformed URL, a form that is too large) get the same body as every other error. */
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.headersSent) return void response.destroy();
  if (error instanceof AppError) refuse(response, error);
  else refuse(response, new AppError(codeOf(error), [], { cause: error }));
};

function codeOf(error: unknown): ErrorCode {
  const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
  if (status === 413) return 'body_too_large';
  return status < 500 ? 'malformed_request' : 'internal';
}
