import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, sessionDigest, validate } from '@webkiln/contract';
import { logger, readBytes, requestTarget } from '@webkiln/runtime';
import { beginTry } from '../accounts/tries-store.ts';
import type { Auth } from '../auth/auth.ts';
import type { AuthMails } from '../auth/auth-mails.ts';
import { currentRequest } from '../auth/current-request.ts';
import { ownCaller } from '../auth/own-caller.ts';
import { answerOf, refusal, send } from './answers.ts';
import { type AuthRoute, authRoutes } from './routes.ts';

const basePath = '/api/auth';
const mostBytes = 16 * 1024;

interface Parts {
  readonly auth: Auth;
  readonly mails: AuthMails;
  readonly origin: string;
}

/** Answers /api/auth: what may be asked is listed, checked and counted here, and then left to the library. */
export function authListener({ auth, mails, origin }: Parts): RequestListener {
  async function answer(request: IncomingMessage, requestId: string) {
    const target = requestTarget(request.url ?? '');
    const method = request.method ?? '';
    const path = target?.path.startsWith(`${basePath}/`) ? target.path.slice(basePath.length) : undefined;
    const route = path === undefined ? undefined : authRoutes[`${method} ${path}`];
    if (target === undefined || path === undefined || route === undefined) throw new AppError('route_not_found');
    const url = `${origin}${basePath}${path}${target.query}`;
    const headers = passedOn(request);
    if (method === 'GET') {
      return answerOf(await mails.keeping(() => auth.handler(new Request(url, { headers })), false), requestId);
    }
    assertSameOrigin(request, origin);
    const body = await bodyOf(request, route);
    const forgive = await beginTry(ownCaller(), route.tried?.(body, askerOf(request)) ?? []);
    const { organization_name, ...rest } = body;
    const sent = organization_name === undefined ? rest : { ...rest, wanted_organization: organization_name };
    headers.set('content-type', 'application/json');
    headers.set('origin', origin);
    const asked = () => auth.handler(new Request(url, { method, headers, body: JSON.stringify(sent) }));
    const answered = await mails.keeping(() => currentRequest.run({ path }, asked), route.mails === true);
    if (route.forgiving === true && answered.status < 400) await forgive();
    return answerOf(answered, requestId);
  }

  return (request, response) => {
    const requestId = String(request.headers['x-request-id'] ?? randomUUID());
    void respond(response, answer(request, requestId), requestId);
  };
}

async function respond(response: ServerResponse, answering: ReturnType<typeof answerOf>, requestId: string): Promise<void> {
  try {
    send(response, await answering);
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ err: error, request_id: requestId }, 'signing in failed');
    send(response, refusal(error, requestId));
  }
}

/** What the library goes by, and no more. */
const needed = ['cookie', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'accept'];

function passedOn(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const name of needed) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  headers.set('x-webkiln-client-address', addressOf(request).replace(/\/64$/, ''));
  return headers;
}

const addressOf = ({ headers }: IncomingMessage) => String(headers['x-webkiln-client-address'] ?? 'unknown');

const askerOf = (request: IncomingMessage) => ({ address: addressOf(request), session: sessionDigest(request.headers.cookie) ?? '' });

/** From a page of ours, by what the browser itself says of it (Fetch Metadata, or RFC 6454). */
function assertSameOrigin({ headers }: IncomingMessage, origin: string): void {
  if (headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin) return;
  throw new AppError('foreign_page');
}

async function bodyOf(request: IncomingMessage, route: AuthRoute): Promise<Record<string, unknown>> {
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new AppError('content_type_unsupported');
  }
  const bytes = await readBytes(request, mostBytes);
  if (bytes === undefined) throw new AppError('body_too_large');
  let body: unknown;
  try {
    body = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
  return route.body === undefined ? {} : validate(route.body, body);
}
