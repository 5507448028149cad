import type { IncomingMessage } from 'node:http';
import { AppError, sessionDigest, validate } from '@webkiln/contract';
import { networkPrefixOf } from '@webkiln/http';
import { browserLanguage } from '@webkiln/texts';
import type { SignInMails } from '../../mails/sign-in-mails.ts';
import { AttemptGate } from '../attempts/attempt-gate.ts';
import type { KnownDevices } from '../attempts/known-devices.ts';
import type { Auth } from '../auth.ts';
import type { Resigning } from '../cookies.ts';
import { type CurrentRequest, currentRequest } from '../current-request.ts';
import { authRoutes } from './auth-routes.ts';

export const authPath = '/api/auth';

interface Dependencies {
  readonly auth: Auth;
  readonly mails: SignInMails;
  readonly devices: KnownDevices;
  readonly resigning: Resigning;
  readonly origin: string;
}

/** A request to a route of `authRoutes`. */
interface AuthRequest {
  readonly method: 'GET' | 'POST';
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  /** "?a=b", or empty. */
  readonly query: string;
  /** As the caller sent it; it is checked. */
  readonly body: unknown;
  /** The request whose headers and address count. */
  readonly source: IncomingMessage;
  /** Aborts when the client goes away. */
  readonly gone: AbortSignal;
}

/** The library's answer. Throws an `AppError` if the route, the body or the attempt is refused. */
export type AuthRequests = (request: AuthRequest) => Promise<Response>;

/** Checks the body and counts the attempt, then calls the sign-in library: for /api/auth and for forms of our pages. */
export function authRequests({ auth, mails, devices, resigning, origin }: Dependencies): AuthRequests {
  const gate = new AttemptGate(devices);

  return async ({ method, path, query, body: given, source, gone }) => {
    const route = authRoutes[`${method} ${path}`];
    if (route === undefined) throw new AppError('route_not_found');
    const url = `${origin}${authPath}${path}${resigning.query(query)}`;
    const headers = forwardedHeaders(source, resigning);
    const network = networkPrefixOf(addressOf(source));
    const language = browserLanguage(source.headers);
    if (method === 'GET') {
      const reading: CurrentRequest = { path, network, language, turn: { key: network, rank: 'stranger' } };
      const callLibrary = () => currentRequest.run(reading, () => auth.handler(new Request(url, { headers })));
      const shown = await mails.collect(callLibrary, { network });
      if (reading.refusal !== undefined) throw reading.refusal;
      return shown;
    }
    const body: Record<string, unknown> = route.body === undefined ? {} : validate(route.body, given);
    const { attempt, turn } = await gate.admit(route, body, sourceOf(source), gone);
    const { organization_name, ...rest } = body;
    const sent = organization_name === undefined ? rest : { ...rest, wanted_organization: organization_name };
    headers.set('content-type', 'application/json');
    headers.set('origin', origin);
    const current: CurrentRequest = { path, network, language, turn };
    const callLibrary = () => auth.handler(new Request(url, { method, headers, body: JSON.stringify(sent) }));
    const answered = await mails.collect(() => currentRequest.run(current, callLibrary), {
      network,
      alwaysWrite: route.sendsMail === true,
    });
    // A check that failed on our side is no failure of the caller's.
    const isUnchecked = current.refusal?.kind === 'unavailable' || (current.refusal === undefined && answered.status >= 500);
    if (isUnchecked || (route.clearsOnSuccess === true && answered.status < 400)) {
      await Promise.all([attempt.uncount(), current.codeAttempt?.uncount()]);
    }
    if (current.refusal !== undefined) throw current.refusal;
    await gate.remember(answered, source.headers.cookie);
    return answered;
  };
}

/** The only headers that the library needs. */
const forwarded = ['cookie', 'user-agent', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'accept'];

function forwardedHeaders(request: IncomingMessage, resigning: Resigning): Headers {
  const headers = new Headers();
  for (const name of forwarded) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, name === 'cookie' ? resigning.cookies(value) : value);
  }
  headers.set('x-webkiln-client-address', addressOf(request).replace(/\/64$/, ''));
  return headers;
}

/** The client's network, as the gateway states it. */
export const addressOf = ({ headers }: IncomingMessage): string => String(headers['x-webkiln-client-address'] ?? 'unknown');

const sourceOf = (request: IncomingMessage) => ({
  address: addressOf(request),
  session: sessionDigest(request.headers.cookie) ?? '',
  cookies: request.headers.cookie,
});
