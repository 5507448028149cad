import { serviceCaller } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type Provider from 'oidc-provider';
import { beginAttempt } from '../../sign-in/attempts/begin-attempt.ts';
import { TooManyAttempts } from '../../sign-in/attempts/login-attempts.ts';
import { addressOf } from '../../sign-in/http/auth-requests.ts';

type Middleware = Parameters<Provider['use']>[0];

const failures: ReadonlySet<unknown> = new Set(['invalid_client', 'invalid_grant']);

/**
 * Counts wrong secrets, assertions, codes and refresh tokens for the client and the network together. Too many are
 * answered 429. What is right still works, because the servers of a hosted agent act for all its users at once.
 */
export const countFailures: Middleware = async (ctx, next) => {
  await next();
  const client = ctx.oidc?.client?.clientId;
  if (client === undefined || !failures.has((ctx.body as { error?: unknown } | undefined)?.error)) return;
  try {
    await beginAttempt(serviceCaller('identity'), [{ kind: 'client', of: `${client} from ${addressOf(ctx.req)}` }]);
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) return logger.warn({ err: error }, 'failure of an OAuth client not counted');
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
