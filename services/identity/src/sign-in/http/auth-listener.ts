import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { readBytes, requestTarget } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import { type AuthRequests, authPath } from './auth-requests.ts';
import { authRoutes } from './auth-routes.ts';
import { errorResponse, send, toApiResponse } from './responses.ts';

const maxBodyBytes = 16 * 1024;

/** Serves /api/auth: checks the route, the origin and the form of the body, then lets `requests` do the rest. */
export function authListener(requests: AuthRequests, origin: string): RequestListener {
  async function answer(request: IncomingMessage, requestId: string, gone: AbortSignal) {
    const target = requestTarget(request.url ?? '');
    const { method = '' } = request;
    const path = target?.path.startsWith(`${authPath}/`) ? target.path.slice(authPath.length) : undefined;
    if (target === undefined || path === undefined || authRoutes[`${method} ${path}`] === undefined) throw new AppError('route_not_found');
    if (method !== 'GET') assertSameOrigin(request, origin);
    const body = method === 'GET' ? undefined : await bodyOf(request);
    const answered = await requests({ method: method === 'GET' ? method : 'POST', path, query: target.query, body, source: request, gone });
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

/** Accepts only requests from our own pages, by the browser's Fetch Metadata or Origin header (RFC 6454). */
function assertSameOrigin({ headers }: IncomingMessage, origin: string): void {
  if (headers['sec-fetch-site'] === 'same-origin' || headers.origin === origin) return;
  throw new AppError('foreign_page');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new AppError('content_type_unsupported');
  }
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === undefined) throw new AppError('body_too_large');
  try {
    return bytes.length === 0 ? {} : JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}
