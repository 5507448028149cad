import { randomUUID } from 'node:crypto';
import { logger } from '@webkiln/runtime';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { accountById, changeAccount } from '../accounts/account-store.ts';
import { hashPassword, longestPassword, shortestPassword } from '../accounts/password.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { makeWantedOrganization } from '../organizations/make-wanted-organization.ts';
import type { AuthMails } from './auth-mails.ts';
import { authDatabase } from './database.ts';
import { fieldNames } from './field-names.ts';
import { hostCookies } from './host-cookies.ts';
import { agencyAsIssuer } from './issuer.ts';
import { linkErrors } from './link-errors.ts';
import { ownCaller } from './own-caller.ts';
import { passkeys } from './passkeys.ts';
import { passwordFirst } from './password-first.ts';
import { provesPassword } from './proves-password.ts';
import { singleUseCodes } from './single-use-codes.ts';

const hourSeconds = 3600;
const sessionDays = 30;

export interface AuthParts {
  /** The public address, without a slash at its end. */
  readonly origin: string;
  /** Signs cookies and links in mails, and seals second factors. */
  readonly secret: string;
  readonly hashOf: KeyHash;
  readonly mails: AuthMails;
}

/** An address is proved: what waited for that is made. */
async function verified(id: string): Promise<void> {
  const account = await accountById(id);
  if (account !== null) await makeWantedOrganization(account);
}

/** Sign-up, sign-in and what belongs to it, by better-auth on our own store; what it answers under /api/auth is listed in serving/routes.ts. */
export const createAuth = ({ origin, secret, hashOf, mails }: AuthParts) =>
  betterAuth({
    appName: 'Webkiln',
    baseURL: origin,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [origin],
    database: authDatabase(hashOf),
    telemetry: { enabled: false },
    // Counted in our store, over all replicas: serving/routes.ts.
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (level, message) => logger[level === 'error' ? 'error' : 'info']({ library: 'better-auth' }, message) },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength: shortestPassword,
      maxPasswordLength: longestPassword,
      password: { hash: hashPassword, verify: provesPassword },
      resetPasswordTokenExpiresIn: hourSeconds,
      sendResetPassword: async ({ user, token }) => mails.resetPassword(user.email, token),
      onExistingUserSignUp: async ({ user }) => mails.signUpAgain(user.email),
      // The link came by mail: whoever followed it reads the address. Sessions end where the password is written: account-tables.ts.
      onPasswordReset: async ({ user }) => {
        await changeAccount(ownCaller(), user.id, { email_verified: true });
        await verified(user.id);
        mails.passwordChanged(user.email);
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: false,
      expiresIn: hourSeconds,
      sendVerificationEmail: async ({ user, url }) => mails.verifyAddress(user.email, url),
      afterEmailVerification: (user) => verified(user.id),
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
      // Where a session is goes on in the one that takes its place.
      additionalFields: {
        org_id: { type: 'string', required: false, input: false },
        membership_kind: { type: 'string', required: false, input: false },
        membership_id: { type: 'string', required: false, input: false },
      },
    },
    verification: { fields: fieldNames.verification, storeIdentifier: 'hashed' },
    plugins: [
      singleUseCodes,
      passwordFirst,
      linkErrors,
      agencyAsIssuer,
      passkeys(origin),
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
