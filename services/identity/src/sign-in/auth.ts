import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { logger, type SecretList } from '@webkiln/runtime';
import { isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { accountById, changeAccount } from '../accounts/account-store.ts';
import { hashPassword, maxPasswordLength, minPasswordLength } from '../accounts/password.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { createSignupOrganization } from '../organizations/create-signup-organization.ts';
import { passkeyPlugin } from '../passkeys/passkey-plugin.ts';
import { recordRefusal } from './current-request.ts';
import { hostCookies } from './host-cookies.ts';
import { identityCaller } from './identity-caller.ts';
import { knownDevices } from './known-devices.ts';
import type { SignInMails } from './mails/sign-in-mails.ts';
import { requestHooks } from './request-hooks.ts';
import { authDatabase, fieldNames } from './tables/database.ts';
import { verifyPassword } from './verify-password.ts';

const hourSeconds = 3600;
const sessionDays = 30;

export interface AuthOptions {
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
      sendResetPassword: async ({ user, token }) => mails.resetPassword(user.email, token),
      onExistingUserSignUp: async ({ user }) => mails.signUpAgain(user.email),
      // The link came by mail, so it also verifies the address. credential-table.ts ends the sessions.
      onPasswordReset: async ({ user }) => {
        await changeAccount(identityCaller(), user.id, { email_verified: true });
        await onVerified(user.id);
        mails.passwordChanged(user.email);
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: false,
      expiresIn: hourSeconds,
      sendVerificationEmail: async ({ user, url }) => mails.verifyAddress(user.email, url),
      afterEmailVerification: (user) => onVerified(user.id),
    },
    user: {
      fields: fieldNames.user,
      additionalFields: { wanted_organization: { type: 'string', required: false, returned: false } },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: async ({ user, newEmail, url }) => mails.confirmChange(user.email, newEmail, url),
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
