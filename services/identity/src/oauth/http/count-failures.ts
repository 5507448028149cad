import type { IncomingMessage, ServerResponse } from 'node:http';
import { logger } from '@webkiln/runtime';
import type Provider from 'oidc-provider';
import { addressOf } from '../../http/auth-requests.ts';
import { beginAttempt } from '../../sign-in/begin-attempt.ts';
import { identityCaller } from '../../sign-in/identity-caller.ts';
import { TooManyAttempts } from '../../sign-in/login-attempts.ts';
import { subjectOf } from '../clients/client-keys.ts';

type Middleware = Parameters<Provider['use']>[0];

const subject = (client: unknown, request: IncomingMessage) => `${client} from ${addressOf(request)}`;

/**
 * Counts a request with a client secret or assertion as failed until it is answered otherwise, for the client and the
 * network together: no other client is kept out. Throws `TooManyAttempts`.
 */
export async function countSecret(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  const client = provenClient(request, new URLSearchParams(body));
  if (client === undefined) return;
  const attempt = await beginAttempt(identityCaller(), [{ kind: 'client_secret', of: subject(client, request) }]);
  response.once('finish', () => {
    if (response.statusCode === 401) return;
    attempt.uncount().catch((error: unknown) => logger.warn({ err: error }, 'attempt of an OAuth client stays counted'));
  });
}

/** The client that a request has a proof of, right or wrong; undefined without one. */
function provenClient({ headers }: IncomingMessage, parameters: URLSearchParams): string | undefined {
  const basic = /^basic (.{1,4000})$/i.exec(headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString().split(':', 1)[0];
  const assertion = parameters.get('client_assertion');
  if (assertion !== null) return subjectOf(assertion) ?? '';
  return parameters.has('client_secret') ? (parameters.get('client_id') ?? '') : undefined;
}

/**
 * Counts wrong codes and refresh tokens for the client and the network together. Too many are answered 429; a good one
 * still works, because the servers of a hosted agent send those of all its users.
 */
export const countWrongGrants: Middleware = async (ctx, next) => {
  await next();
  if ((ctx.body as { error?: unknown } | undefined)?.error !== 'invalid_grant') return;
  try {
    await beginAttempt(identityCaller(), [{ kind: 'client_grant', of: subject(ctx.oidc.client?.clientId, ctx.req) }]);
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) return logger.warn({ err: error }, 'wrong code or refresh token not counted');
    const { status, headers, body } = clientRefusal(error);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = body;
  }
};

/** The answer to a client that failed too often, in the form of OAuth (RFC 6749 §5.2). */
export const clientRefusal = ({ status, retryAfterS }: TooManyAttempts) => ({
  status,
  headers: { 'Retry-After': String(retryAfterS), 'Cache-Control': 'no-store' },
  body: {
    error: 'temporarily_unavailable',
    error_description: `too many attempts from this network: wait ${retryAfterS} seconds and try again`,
  },
});
