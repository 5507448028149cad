import { Email, Name } from '@webkiln/contract';
import * as z from 'zod';
import { foldEmail } from '../../accounts/account.ts';
import type { AttemptSubject } from '../attempts/begin-attempt.ts';
import { Password } from '../password.ts';

/** The origin of a request, as far as its headers show it. */
export interface RequestSource {
  /** The client's network, as the gateway states it. */
  readonly address: string;
  /** The digest of the session cookie; empty without one. */
  readonly session: string;
  /** The Cookie header. */
  readonly cookies: string | undefined;
}

/** A route under /api/auth. The library's other routes cannot be reached. */
export interface AuthRoute {
  readonly body?: z.ZodObject;
  /** The counters of an attempt, the client's network first: a blocked one counts nowhere else. */
  readonly attemptsOf?: (body: Record<string, unknown>, source: RequestSource) => AttemptSubject[];
  /** True if an attempt also counts against the account of `email`, and is slowed by failures elsewhere. */
  readonly countsAccount?: boolean;
  /** True if a success is not counted. Routes that send mails count every request. */
  readonly clearsOnSuccess?: boolean;
  /** True if it may send a mail; it then takes equally long without one. */
  readonly sendsMail?: boolean;
}

const Text = z.string().max(2048);
const Callback = { callbackURL: Text.optional() };
const CurrentPassword = z.string().min(1, 'must not be empty').max(128);

const Base64Url = z
  .string()
  .regex(/^[\w-]*$/, 'must be base64url')
  .max(8192);
/** A public key credential as browsers serialize it (WebAuthn §5.1.4). */
const Credential = z.object({ id: Base64Url.min(1), rawId: Base64Url, type: z.literal('public-key') });
const Attestation = z.object({
  clientDataJSON: Base64Url,
  attestationObject: Base64Url,
  transports: z.array(z.string().max(30)).max(10).optional(),
});
const Assertion = z.object({
  clientDataJSON: Base64Url,
  authenticatorData: Base64Url,
  signature: Base64Url,
  userHandle: Base64Url.optional(),
});

export const emailOf = (body: Record<string, unknown>) => foldEmail(String(body.email ?? ''));
const address = (_body: unknown, source: RequestSource): AttemptSubject[] => [{ kind: 'address', of: source.address }];
const byPassword = {
  attemptsOf: (body: unknown, source: RequestSource): AttemptSubject[] => [
    ...address(body, source),
    { kind: 'session', of: source.session },
  ],
  clearsOnSuccess: true,
};
const mailing = {
  // Not by recipient: strangers would keep its owner out. mails/mail-admission.ts counts the mails that are sent.
  attemptsOf: (_body: unknown, source: RequestSource): AttemptSubject[] => [{ kind: 'mail', of: `for ${source.address}` }],
  sendsMail: true,
};

export const authRoutes: Readonly<Record<string, AuthRoute>> = {
  'POST /sign-up/email': {
    body: z.strictObject({ name: Name, email: Email, password: Password, organization_name: Name.optional(), ...Callback }),
    ...mailing,
  },
  'POST /sign-in/email': {
    body: z.strictObject({ email: Email, password: CurrentPassword, rememberMe: z.boolean().optional(), ...Callback }),
    attemptsOf: address,
    countsAccount: true,
    clearsOnSuccess: true,
  },
  'POST /sign-out': { body: z.strictObject({}) },
  // The links of a change of address.
  'GET /verify-email': {},
  'POST /confirm-email': { body: z.strictObject({ token: Text }), attemptsOf: address, clearsOnSuccess: true },
  // The link of a member's invitation.
  'POST /invitation': { body: z.strictObject({ token: Text }), attemptsOf: address, clearsOnSuccess: true },
  'POST /join': {
    body: z.strictObject({ token: Text, password: Password, name: Name.optional() }),
    attemptsOf: address,
    clearsOnSuccess: true,
  },
  'POST /send-verification-email': { body: z.strictObject({ email: Email, ...Callback }), ...mailing },
  'POST /request-password-reset': { body: z.strictObject({ email: Email }), ...mailing },
  'POST /reset-password': { body: z.strictObject({ newPassword: Password, token: Text }), attemptsOf: address, clearsOnSuccess: true },
  'POST /change-password': {
    body: z.strictObject({ currentPassword: CurrentPassword, newPassword: Password, revokeOtherSessions: z.literal(true).default(true) }),
    ...byPassword,
  },
  'POST /change-email': {
    body: z.strictObject({ newEmail: Email, password: CurrentPassword, ...Callback }),
    attemptsOf: (_body, source) => [
      { kind: 'mail', of: `for ${source.address}` },
      { kind: 'session', of: source.session },
    ],
    sendsMail: true,
  },
  'POST /update-user': { body: z.strictObject({ name: Name }) },
  'POST /two-factor/enable': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/disable': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/generate-backup-codes': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/verify-totp': {
    body: z.strictObject({ code: z.string().max(20) }),
    attemptsOf: address,
    clearsOnSuccess: true,
  },
  'POST /two-factor/verify-backup-code': {
    body: z.strictObject({ code: z.string().max(40) }),
    attemptsOf: address,
    clearsOnSuccess: true,
  },
  'POST /passkey/register-options': { body: z.strictObject({ password: CurrentPassword.optional() }), ...byPassword },
  'POST /passkey/register': { body: z.strictObject({ name: Name, response: Credential.extend({ response: Attestation }) }) },
  'POST /passkey/remove': { body: z.strictObject({ id: z.uuid(), password: CurrentPassword.optional() }), ...byPassword },
  'POST /passkey/sign-in-options': { body: z.strictObject({}) },
  'POST /passkey/sign-in': {
    body: z.strictObject({ response: Credential.extend({ response: Assertion }) }),
    attemptsOf: address,
    clearsOnSuccess: true,
  },
};
