import { isDuplicate } from '@webkiln/store';
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { organizationById } from '../organizations/organization-store.ts';
import { consumeCode } from './tables/challenge-store.ts';

type Hook = Parameters<typeof createAuthMiddleware>[0];

/** A better-auth plugin that runs a hook before or after one path. */
const hookAt = (path: string, when: 'before' | 'after', hook: Hook) => ({
  id: `${when} ${path}`,
  hooks: { [when]: [{ matcher: (context: { path?: string }) => context.path === path, handler: createAuthMiddleware(hook) }] },
});

const totpCode = /^\d{6}$/;

/** A TOTP code signs in only once (RFC 6238 §5.2): an observed code is useless. */
const singleUseCodes = hookAt('/two-factor/verify-totp', 'before', async (context) => {
  const code = String((context.body as { code?: unknown } | undefined)?.code ?? '');
  const cookie = context.context.createAuthCookie('two_factor');
  const challenge = await context.getSignedCookie(cookie.name, context.context.secret);
  if (!challenge || !totpCode.test(code)) return;
  const found = await context.context.internalAdapter.findVerificationValue(challenge);
  if (!found) return;
  await consumeCode(found.value, code).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
  });
});

/** Changing the email address requires the password: an unattended browser is not enough. */
const passwordForEmailChange = hookAt('/change-email', 'before', async (context) => {
  const session = await getSessionFromCtx(context);
  if (session !== null) await context.context.password.checkPassword(session.user.id, context);
});

/**
 * A link in a mail is opened in a browser, so a taken address redirects to the requesting page, like the library's own
 * errors.
 */
const linkErrors = hookAt('/verify-email', 'after', async (context) => {
  const { returned, baseURL } = context.context;
  const { callbackURL } = (context.query ?? {}) as { callbackURL?: string };
  if (callbackURL === undefined || !isAPIError(returned) || returned.body?.code !== 'ADDRESS_TAKEN') return;
  const back = new URL(callbackURL, baseURL);
  back.searchParams.set('error', 'ADDRESS_TAKEN');
  // Dot segments can leave a path that begins with `//`, which a browser would take for another host.
  return new Response(null, { status: 302, headers: { location: `${back.pathname.replace(/^\/+/, '/')}${back.search}` } });
});

/** The issuer that an authenticator app shows: a client's user sees the agency's name, everybody else ours. */
const agencyIssuer = hookAt('/two-factor/enable', 'before', async (context) => {
  const session = await getSessionFromCtx(context);
  const { org_id, membership_kind } = (session?.session ?? {}) as { org_id?: string; membership_kind?: string };
  const agency = org_id && membership_kind === 'user' ? await organizationById(org_id) : null;
  if (agency === null) return;
  // In an otpauth URI a colon separates the issuer from the account.
  return { context: { body: { ...context.body, issuer: agency.name.replace(/\s*:\s*/g, ' ') } } };
});

export const requestHooks = [singleUseCodes, passwordForEmailChange, linkErrors, agencyIssuer];
