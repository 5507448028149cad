import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { logger, type SecretList } from '@webkiln/runtime';
import { isDuplicate } from '@webkiln/store';
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { knownDevicesAfter } from '../accounts/account.ts';
import { accountById, changeAccount } from '../accounts/account-store.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import type { SignInMails } from '../mails/sign-in-mails.ts';
import { invitationTokens } from '../members/invitation.ts';
import { invitationPlugin } from '../members/invitation-plugin.ts';
import { createSignupOrganization } from '../organizations/create-organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { passkeyPlugin } from '../passkeys/passkey-plugin.ts';
import { beginAttempt } from './attempts/begin-attempt.ts';
import { type KnownDevices, knownDevices } from './attempts/known-devices.ts';
import { confirmEmailPlugin, isAddressChange } from './confirm-email.ts';
import { hostCookies } from './cookies.ts';
import { currentRequest, recordRefusal } from './current-request.ts';
import { hashPassword, maxPasswordLength, minPasswordLength, verifyPassword } from './password.ts';
import { consumeCode } from './tables/challenge-store.ts';
import { authDatabase, fieldNames } from './tables/database.ts';

const hourSeconds = 3600;
const sessionDays = 30;

interface AuthOptions {
  /** The public URL, without a trailing slash. */
  readonly origin: string;
  /** Sign cookies and mailed links, and encrypt second factors. The library knows the first one only. */
  readonly secrets: SecretList;
  readonly hashOf: KeyHash;
  readonly mails: SignInMails;
}

/** Creates the organization that was requested at sign-up, now that the address is verified. */
async function onVerified(id: string): Promise<void> {
  const account = await accountById(id);
  if (account !== null) await createSignupOrganization(account);
}

/** The library tells a client of its own errors. Ours are those of our hooks; a log line shows what neither expects. */
function onUnexpected(error: unknown): void {
  recordRefusal(error);
  if (!isAPIError(error) && !(error instanceof AppError)) logger.error({ err: error, library: 'better-auth' }, 'sign-in request failed');
}

/**
 * Sign-up, sign-in and account changes: better-auth on our own store. http/auth-routes.ts lists the routes that are
 * open.
 */
export const createAuth = ({ origin, secrets, hashOf, mails }: AuthOptions) =>
  betterAuth({
    appName: 'Webkiln',
    baseURL: origin,
    basePath: '/api/auth',
    secret: secrets[0],
    trustedOrigins: [origin],
    database: authDatabase(hashOf, secrets),
    telemetry: { enabled: false },
    // login-attempt-store.ts counts over all replicas instead.
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (level, message) => logger[level === 'error' ? 'error' : 'info']({ library: 'better-auth' }, message) },
    onAPIError: { onError: onUnexpected },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength,
      maxPasswordLength,
      password: { hash: hashPassword, verify: verifyPassword },
      resetPasswordTokenExpiresIn: hourSeconds,
      sendResetPassword: async ({ user, token }) => mails.resetPassword(user, token),
      onExistingUserSignUp: async ({ user }) => mails.signUpAgain(user),
      // The link came by mail, so it also verifies the address. credential-table.ts ends sessions and agents.
      onPasswordReset: async ({ user }) => {
        await changeAccount(serviceCaller('identity'), user.id, { email_verified: true });
        await onVerified(user.id);
        mails.passwordChanged(user, currentRequest.getStore()?.passwordChange?.agents);
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: false,
      expiresIn: hourSeconds,
      sendVerificationEmail: async ({ user, url, token }) => {
        if (isAddressChange(token)) mails.verifyAddress(user, url);
        else mails.confirmEmail(user, token, new URL(url).searchParams.get('callbackURL') ?? '/');
      },
      afterEmailVerification: (user) => onVerified(user.id),
    },
    user: {
      fields: fieldNames.user,
      additionalFields: {
        wanted_organization: { type: 'string', required: false, returned: false },
        language: { type: 'string', required: false, input: false, returned: false },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: async ({ user, newEmail, url }) => mails.confirmChange(user, newEmail, url),
      },
    },
    session: {
      expiresIn: sessionDays * 24 * hourSeconds,
      disableSessionRefresh: true,
      fields: fieldNames.session,
      // A session that replaces another one keeps its organization.
      additionalFields: {
        org_id: { type: 'string', required: false, input: false },
        membership_kind: { type: 'string', required: false, input: false },
        membership_id: { type: 'string', required: false, input: false },
      },
    },
    verification: { fields: fieldNames.verification, storeIdentifier: 'hashed' },
    plugins: [
      ...requestHooks(knownDevices(secrets)),
      hookAt('/change-password', 'after', async () => {
        const { passwordChange } = currentRequest.getStore() ?? {};
        if (passwordChange !== undefined) mails.passwordChanged(passwordChange, passwordChange.agents);
      }),
      confirmEmailPlugin(secrets),
      invitationPlugin(invitationTokens(secrets)),
      passkeyPlugin(origin, secrets),
      twoFactor({ issuer: 'Webkiln', schema: fieldNames.secondFactor }),
    ],
    advanced: {
      database: { generateId: () => randomUUID() },
      ipAddress: { ipAddressHeaders: ['x-webkiln-client-address'] },
      useSecureCookies: false,
      cookies: hostCookies,
    },
  });

export type Auth = ReturnType<typeof createAuth>;

type Hook = Parameters<typeof createAuthMiddleware>[0];
type HookContext = Parameters<Hook>[0];

const totpPath = '/two-factor/verify-totp';

/** A better-auth plugin that runs a hook before or after one path. */
const hookAt = (path: string, when: 'before' | 'after', hook: Hook) => ({
  id: `${when} ${path}`,
  hooks: { [when]: [{ matcher: (context: { path?: string }) => context.path === path, handler: createAuthMiddleware(hook) }] },
});

const totpCode = /^\d{6}$/;

/** The account that has given its password and waits for its second factor. */
async function waitingAccount(context: HookContext): Promise<string | undefined> {
  const cookie = context.context.createAuthCookie('two_factor');
  const challenge = await context.getSignedCookie(cookie.name, context.context.secret);
  return challenge ? (await context.context.internalAdapter.findVerificationValue(challenge))?.value : undefined;
}

const codesOf = (path: string, devices: KnownDevices) =>
  hookAt(path, 'before', async (context) => {
    const account_id = await waitingAccount(context);
    if (account_id === undefined) return;
    await countCode(account_id, devices, context.headers?.get('cookie') ?? undefined);
    if (path === totpPath) await useOnce(account_id, String((context.body as { code?: unknown } | undefined)?.code ?? ''));
  });

/**
 * After ten wrong codes within 10 minutes, from any network, the account takes no more of them. Only a caller who knows
 * its password can try codes, so no stranger can block it. A device that signed in before has ten of its own.
 */
async function countCode(account_id: string, devices: KnownDevices, cookies: string | undefined): Promise<void> {
  const account = await accountById(account_id);
  const request = currentRequest.getStore();
  if (account === null || request === undefined) return;
  const device = devices.find(cookies, account.email, knownDevicesAfter(account));
  const of = device === undefined ? account_id : `${account_id} on ${device}`;
  request.codeAttempt = await beginAttempt(serviceCaller('identity'), [{ kind: 'code', of }]);
}

/** A TOTP code signs in only once (RFC 6238 §5.2): an observed code is useless. */
async function useOnce(account_id: string, code: string): Promise<void> {
  if (!totpCode.test(code)) return;
  await consumeCode(account_id, code).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'Invalid code' });
  });
}

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
  return {
    context: {
      body: {
        ...context.body,
        issuer: agency.name
          .split(':')
          .map((part) => part.trim())
          .join(' '),
      },
    },
  };
});

const requestHooks = (devices: KnownDevices) => [
  codesOf(totpPath, devices),
  codesOf('/two-factor/verify-backup-code', devices),
  ...[passwordForEmailChange, linkErrors, agencyIssuer],
];
