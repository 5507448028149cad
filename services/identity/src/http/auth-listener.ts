import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, sessionDigest, validate } from '@webkiln/contract';
import { readBytes, requestTarget } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import { networkPrefixOf } from '../sessions/session.ts';
import type { Auth } from '../sign-in/auth.ts';
import { type CurrentRequest, currentRequest } from '../sign-in/current-request.ts';
import type { KnownDevices } from '../sign-in/known-devices.ts';
import type { SignInMails } from '../sign-in/mails/sign-in-mails.ts';
import { AttemptGate } from './attempt-gate.ts';
import { type AuthRoute, authRoutes } from './auth-routes.ts';
import { errorResponse, send, toApiResponse } from './responses.ts';

const basePath = '/api/auth';
const maxBodyBytes = 16 * 1024;

interface Dependencies {
  readonly auth: Auth;
  readonly mails: SignInMails;
  readonly devices: KnownDevices;
  readonly origin: string;
}

/** Serves /api/auth: checks the route and the body and counts the attempt, then calls the sign-in library. */
export function authListener({ auth, mails, devices, origin }: Dependencies): RequestListener {
  const gate = new AttemptGate(devices);

  async function answer(request: IncomingMessage, requestId: string, gone: AbortSignal) {
    const target = requestTarget(request.url ?? '');
    const method = request.method ?? '';
    const path = target?.path.startsWith(`${basePath}/`) ? target.path.slice(basePath.length) : undefined;
    const route = path === undefined ? undefined : authRoutes[`${method} ${path}`];
    if (target === undefined || path === undefined || route === undefined) throw new AppError('route_not_found');
    const url = `${origin}${basePath}${path}${target.query}`;
    const headers = forwardedHeaders(request);
    const network = networkPrefixOf(addressOf(request).replace(/\/64$/, ''));
    if (method === 'GET') {
      const reading: CurrentRequest = { path, turn: { key: network, rank: 'stranger' } };
      const callLibrary = () => currentRequest.run(reading, () => auth.handler(new Request(url, { headers })));
      const shown = await mails.collect(callLibrary, { network });
      if (reading.refusal !== undefined) throw reading.refusal;
      return toApiResponse(shown, requestId);
    }
    assertSameOrigin(request, origin);
    const body = await bodyOf(request, route);
    const { attempt, turn } = await gate.admit(route, body, sourceOf(request), gone);
    const { organization_name, ...rest } = body;
    const sent = organization_name === undefined ? rest : { ...rest, wanted_organization: organization_name };
    headers.set('content-type', 'application/json');
    headers.set('origin', origin);
    const current: CurrentRequest = { path, turn };
    const callLibrary = () => auth.handler(new Request(url, { method, headers, body: JSON.stringify(sent) }));
    const answered = await mails.collect(() => currentRequest.run(current, callLibrary), {
      network,
      alwaysWrite: route.sendsMail === true,
    });
    // What we could not check is no failure of the caller's.
    const isUnchecked = current.refusal?.kind === 'unavailable' || (current.refusal === undefined && answered.status >= 500);
    if (isUnchecked || (route.clearsOnSuccess === true && answered.status < 400)) {
      await Promise.all([attempt.uncount(), current.codeAttempt?.uncount()]);
    }
    if (current.refusal !== undefined) throw current.refusal;
    await gate.remember(answered, request.headers.cookie);
    return toApiResponse(answered, requestId);
  }

  return (request, response) => {
    const requestId = String(request.headers['x-request-id'] ?? randomUUID());
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    void respond(response, answer(request, requestId, gone.signal), requestId);
  };
}

async function respond(response: ServerResponse, answering: ReturnType<typeof toApiResponse>, requestId: string): Promise<void> {
  try {
    send(response, await answering);
  } catch (error) {
    // The client went away while its attempt was held back.
    if (response.destroyed) return;
    if (!(error instanceof AppError)) logger.error({ err: error, request_id: requestId }, 'sign-in request failed');
    send(response, errorResponse(error, requestId));
  }
}

/** The only headers that the library needs. */
const forwarded = ['cookie', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'accept'];

function forwardedHeaders(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const name of forwarded) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  headers.set('x-webkiln-client-address', addressOf(request).replace(/\/64$/, ''));
  return headers;
}

const addressOf = ({ headers }: IncomingMessage) => String(headers['x-webkiln-client-address'] ?? 'unknown');

const sourceOf = (request: IncomingMessage) => ({
  address: addressOf(request),
  session: sessionDigest(request.headers.cookie) ?? '',
  cookies: request.headers.cookie,
});

/** Accepts only requests from our own pages, by the browser's Fetch Metadata or Origin header (RFC 6454). */
function assertSameOrigin({ headers }: IncomingMessage, origin: string): void {
  if (headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin) return;
  throw new AppError('foreign_page');
}

async function bodyOf(request: IncomingMessage, route: AuthRoute): Promise<Record<string, unknown>> {
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new AppError('content_type_unsupported');
  }
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === undefined) throw new AppError('body_too_large');
  let body: unknown;
  try {
    body = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
  return route.body === undefined ? {} : validate(route.body, body);
}
