import type { RequestListener } from 'node:http';
import { AppError } from '@webkiln/contract';
import { oauthPaths } from '@webkiln/messages';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import type { Api } from './api/api.ts';
import { refuse } from './http-server.ts';
import type { Dashboard } from './pages/dashboard.ts';
import { EmbedOrigins } from './pages/embed-origins.ts';
import type { pages } from './pages/pages.ts';
import type { HttpProxy } from './proxy/http-proxy.ts';
import type { AddressQuota } from './rate-limit/address-quota.ts';

interface Parts {
  readonly api: Api;
  readonly identity: HttpProxy;
  /** Limits requests to `/api/auth`, which need no credential. */
  readonly countSignIn: AddressQuota;
  /** Limits requests to the authorization server. */
  readonly countOauth: AddressQuota;
  readonly pages: ReturnType<typeof pages>;
  readonly dashboard: Dashboard;
  /** `POST /api/embed/session`. */
  readonly embedSession: RequestListener;
  /** `GET /api/build-links/{id}`. */
  readonly buildLink: RequestHandler<{ id: string }>;
  /** `GET /api/build-organizations/{slug}`. */
  readonly buildOrganization: RequestHandler<{ slug: string }>;
}

/** The Express application of the origin: API, sign-in, plain pages and dashboard. */
export function createApp(parts: Parts): Express {
  const { api, identity, countSignIn, countOauth, pages, dashboard, embedSession, buildLink, buildOrganization } = parts;
  const embedOrigins = new EmbedOrigins();
  const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use('/api/v1', api.handle);
  app.use('/api/embed/session', embedSession);
  app.get('/api/build-links/:id', buildLink);
  app.get('/api/build-organizations/:slug', buildOrganization);
  app.use('/api/auth', identityProxy(identity, countSignIn));
  app.use([...oauthPaths], identityProxy(identity, countOauth));
  app.use(pages);
  app.get('/builder/:projectId', async (request, response) =>
    dashboard.sendBuilder(request, response, await embedOrigins.of(request.query.e)),
  );
  app.use((request, response, next) => dashboard.handle(request, response) || next(new AppError('route_not_found')));
  app.use(onError);
  return app;
}

/** Forwards a request to identity, with the full path. */
function identityProxy(identity: HttpProxy, count: AddressQuota): RequestHandler {
  return async (request, response) => {
    await count(request);
    request.url = request.originalUrl;
    identity.handle(request, response);
  };
}

/** Errors of Express itself (a malformed URL, a form that is too large) get the same body as every other error. */
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (response.headersSent) return void response.destroy();
  if (error instanceof AppError) refuse(response, error);
  else refuse(response, new AppError(isBadRequest(error) ? 'malformed_request' : 'internal', [], { cause: error }));
};

const isBadRequest = (error: unknown) => typeof error === 'object' && error !== null && 'status' in error && Number(error.status) < 500;
