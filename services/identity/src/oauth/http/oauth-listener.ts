import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '@webkiln/contract';
import { readBytes, requestTarget } from '@webkiln/http';
import { logger } from '@webkiln/runtime';
import { addressOf } from '../../http/auth-requests.ts';
import { errorResponse, send } from '../../http/responses.ts';
import { beginAttempt } from '../../sign-in/begin-attempt.ts';
import { identityCaller } from '../../sign-in/identity-caller.ts';
import { TooManyAttempts } from '../../sign-in/login-attempts.ts';
import type { CurrentProvider } from '../current-provider.ts';
import { endpoints } from '../metadata.ts';
import type { InteractionPages } from '../pages/interaction-pages.ts';
import { authorizationQuery, tokenBody } from '../request-parameters.ts';
import { assets, openToAll } from './assets.ts';
import { clientRefusal } from './count-failures.ts';

const maxBodyBytes = 16 * 1024;
const preflight = {
  ...openToAll,
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '3600',
};
const resumed = new RegExp(`^${endpoints.authorization}/[\\w-]{1,100}$`);
const interaction = /^\/oauth\/interaction\/([\w-]{1,100})$/;

interface Options {
  readonly origin: string;
  readonly server: CurrentProvider;
  readonly pages: InteractionPages;
}

/** Serves /oauth/* and the metadata below /.well-known. */
export function oauthListener({ origin, server, pages }: Options): RequestListener {
  const files = assets(origin);
  const { host, protocol } = new URL(origin);

  /** The library sees the public address, whatever the caller stated as its host. */
  function passOn(request: IncomingMessage, response: ServerResponse, url: string, body?: string): void {
    const stated = { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1), host };
    // Clients read JSON, whatever they say they accept.
    const sent = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)), accept: 'application/json' };
    const seen = Object.create(request, {
      url: { value: url, writable: true },
      originalUrl: { value: url, writable: true },
      headers: { value: { ...request.headers, ...stated, ...sent } },
      ...(body !== undefined && { readable: { value: true }, iterator: { value: () => Readable.from([Buffer.from(body)]).iterator() } }),
    });
    void server.handle(seen, response);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = requestTarget(request.url ?? '');
    const { method } = request;
    if (target === undefined) throw new AppError('route_not_found');
    const { path, query } = target;
    const file = files.get(path);
    const uid = interaction.exec(path)?.[1];
    if (method === 'OPTIONS') return sendText(response, 204, preflight, '');
    if (method === 'GET' && file !== undefined) return sendText(response, 200, file.headers, file.text);
    if ((method === 'GET' || method === 'POST') && uid !== undefined)
      return pages.handle(server.current, request, response, { uid, query });
    if (method === 'GET' && path === endpoints.authorization) return passOn(request, response, path + authorizationQuery(query));
    if (method === 'GET' && (resumed.test(path) || path === endpoints.jwks)) return passOn(request, response, path);
    if (method !== 'POST') throw new AppError('route_not_found');
    const body = await readBytes(request, maxBodyBytes);
    if (body === undefined) throw new AppError('body_too_large');
    for (const [name, value] of Object.entries(openToAll)) response.setHeader(name, value);
    if (path === endpoints.registration) {
      await beginAttempt(identityCaller(), [{ kind: 'registration', of: addressOf(request) }]);
      return passOn(request, response, path, body.toString());
    }
    if (path !== endpoints.token && path !== endpoints.revocation) throw new AppError('route_not_found');
    passOn(request, response, path, tokenBody(body.toString()));
  }

  return (request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (response.destroyed || response.headersSent) return;
      if (!(error instanceof AppError)) logger.error({ err: error }, 'OAuth request failed');
      if (error instanceof TooManyAttempts) return sendRefusal(response, error);
      send(response, errorResponse(error, String(request.headers['x-webkiln-request-id'] ?? '')));
    });
  };
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };

function sendText(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function sendRefusal(response: ServerResponse, error: TooManyAttempts): void {
  const { status, headers, body } = clientRefusal(error);
  sendText(response, status, { ...headers, ...json }, JSON.stringify(body));
}
