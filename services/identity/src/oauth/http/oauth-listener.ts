import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { AppError, baseScope } from '@webkiln/contract';
import { isOwnMachine, readBytes, requestTarget } from '@webkiln/http';
import { serviceCaller } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { beginAttempt } from '../../sign-in/attempts/begin-attempt.ts';
import { TooManyAttempts } from '../../sign-in/attempts/login-attempts.ts';
import { addressOf } from '../../sign-in/http/auth-requests.ts';
import { errorResponse, send } from '../../sign-in/http/responses.ts';
import { endpoints } from '../metadata.ts';
import { assets, openToAll } from '../pages/assets.ts';
import type { InteractionPages } from '../pages/interaction-pages.ts';
import type { CurrentProvider } from '../provider.ts';
import { resourceMeant, scopesAsked } from '../resources.ts';
import { clientRefusal } from './count-failures.ts';

const maxBodyBytes = 16 * 1024;
/** Names of this machine whose metadata are kept. */
const maxNames = 8;
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
  const { host, protocol, port } = new URL(origin);
  const filesOfMachine = new Map<string, ReturnType<typeof assets>>();

  /** A client compares the resource in the metadata with its own address, which may be another name of this machine. */
  function filesAt({ headers }: IncomingMessage): ReturnType<typeof assets> {
    const reached = `http://${headers.host}`;
    if (headers.host === host || !isOwnMachine(origin) || !isOwnMachine(reached) || URL.parse(reached)?.port !== port) return files;
    const name = new URL(reached).origin;
    const known = filesOfMachine.get(name) ?? assets(origin, name);
    if (filesOfMachine.size < maxNames) filesOfMachine.set(name, known);
    return known;
  }

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
    const { query } = target;
    const path = target.path.length > 1 && target.path.endsWith('/') ? target.path.slice(0, -1) : target.path;
    const file = filesAt(request).get(path);
    const uid = interaction.exec(path)?.[1];
    if (method === 'OPTIONS') return sendText(response, 204, preflight, '');
    if (method === 'GET' && file !== undefined) return sendText(response, 200, file.headers, file.text);
    if ((method === 'GET' || method === 'POST') && uid !== undefined)
      return pages.handle(server.current, request, response, { uid, query });
    if (method === 'GET' && path === endpoints.authorization) return passOn(request, response, path + authorizationQuery(query, origin));
    if (method === 'GET' && (resumed.test(path) || path === endpoints.jwks)) return passOn(request, response, path);
    if (method !== 'POST') throw new AppError('route_not_found');
    const body = await readBytes(request, maxBodyBytes);
    if (body === undefined) throw new AppError('body_too_large');
    for (const [name, value] of Object.entries(openToAll)) response.setHeader(name, value);
    if (path === endpoints.registration) {
      await beginAttempt(serviceCaller('identity'), [{ kind: 'registration', of: addressOf(request) }]);
      return passOn(request, response, path, body.toString());
    }
    if (path !== endpoints.token && path !== endpoints.revocation) throw new AppError('route_not_found');
    passOn(request, response, path, tokenBody(body.toString(), origin));
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

/** The parameters that this server reads; a request may carry anything else, which is ignored (RFC 6749 §3.1). */
const known = new Set([
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'prompt',
]);

/** The only prompts that change an answer; others ask for what happens anyway or what there is not. */
const knownPrompts = new Set(['none', 'consent']);

/**
 * The query of an authorization request as the library gets it. Unknown scopes are dropped, and none asks for the
 * default one (RFC 6749 §3.3). Repeated parameters stay, to be refused.
 */
function authorizationQuery(query: string, origin: string): string {
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    const text = name === 'prompt' ? knownOf(value) : name === 'resource' ? resourceMeant(origin, value) : value;
    if (known.has(name) && (name !== 'prompt' || text !== '')) kept.append(name, text);
  }
  // What is narrowest can always be allowed.
  kept.append('scope', [...new Set([baseScope, ...scopesAsked(new URLSearchParams(query).get('scope') ?? '')])].join(' '));
  return `?${kept}`;
}

const knownOf = (prompts: string) =>
  prompts
    .split(' ')
    .filter((prompt) => knownPrompts.has(prompt))
    .join(' ');

/** The body of a request for tokens: the scopes of a token are those that its person allowed. */
function tokenBody(body: string, origin: string): string {
  const parameters = new URLSearchParams(body);
  parameters.delete('scope');
  const resources = parameters.getAll('resource');
  parameters.delete('resource');
  for (const resource of resources) parameters.append('resource', resourceMeant(origin, resource));
  return parameters.toString();
}
