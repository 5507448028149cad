import { Email, Name } from '@webkiln/contract';
import * as z from 'zod';
import { foldEmail } from '../accounts/account.ts';
import { Password } from '../accounts/password.ts';
import type { Tried } from '../accounts/tries-store.ts';

/** Who asks, as far as that is known before anything was looked up. */
export interface Asker {
  /** His network, as the gateway names it. */
  readonly address: string;
  /** His session's digest; empty where there is none. */
  readonly session: string;
}

/** What is answered under /api/auth: nothing else of the library is in reach. */
export interface AuthRoute {
  readonly body?: z.ZodObject;
  /** Whom a try counts against, 20 within 10 minutes. */
  readonly tried?: (body: Record<string, unknown>, asker: Asker) => Tried[];
  /** Whether a try that turns out right is taken back; what sends mails counts each time. */
  readonly forgiving?: boolean;
  /** It may send a mail, and takes as long where it sends none. */
  readonly mails?: boolean;
}

const Text = z.string().max(2048);
const Callback = { callbackURL: Text.optional() };
const CurrentPassword = z.string().min(1, 'must not be empty').max(128);

const Base64Url = z
  .string()
  .regex(/^[\w-]*$/, 'must be base64url')
  .max(8192);
/** What a browser gives of a passkey, as JSON (WebAuthn §5.1.4). */
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

const account = (body: Record<string, unknown>) => `account ${foldEmail(String(body.email ?? ''))}`;
const address = (_body: unknown, asker: Asker) => [`address ${asker.address}`];
const byPassword = {
  tried: (_body: unknown, { session, address }: Asker) => [`session ${session}`, `address ${address}`],
  forgiving: true,
};
const mailing = {
  tried: (body: Record<string, unknown>, asker: Asker) => [`mail to ${account(body)}`, `mail for ${asker.address}`],
  mails: true,
};

export const authRoutes: Readonly<Record<string, AuthRoute>> = {
  'POST /sign-up/email': {
    body: z.strictObject({ name: Name, email: Email, password: Password, organization_name: Name.optional(), ...Callback }),
    ...mailing,
  },
  'POST /sign-in/email': {
    body: z.strictObject({ email: Email, password: CurrentPassword, rememberMe: z.boolean().optional(), ...Callback }),
    tried: (body, asker) => [account(body), ...address(body, asker)],
    forgiving: true,
  },
  'POST /sign-out': { body: z.strictObject({}) },
  'GET /verify-email': {},
  'POST /send-verification-email': { body: z.strictObject({ email: Email, ...Callback }), ...mailing },
  'POST /request-password-reset': { body: z.strictObject({ email: Email }), ...mailing },
  'POST /reset-password': { body: z.strictObject({ newPassword: Password, token: Text }), tried: address, forgiving: true },
  'POST /change-password': {
    body: z.strictObject({ currentPassword: CurrentPassword, newPassword: Password, revokeOtherSessions: z.literal(true).default(true) }),
    ...byPassword,
  },
  'POST /change-email': {
    body: z.strictObject({ newEmail: Email, password: CurrentPassword, ...Callback }),
    tried: (_body, { session, address }) => [`session ${session}`, `mail for ${address}`],
    mails: true,
  },
  'POST /update-user': { body: z.strictObject({ name: Name }) },
  'POST /two-factor/enable': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/disable': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/generate-backup-codes': { body: z.strictObject({ password: CurrentPassword }), ...byPassword },
  'POST /two-factor/verify-totp': {
    body: z.strictObject({ code: z.string().max(20) }),
    tried: address,
    forgiving: true,
  },
  'POST /two-factor/verify-backup-code': {
    body: z.strictObject({ code: z.string().max(40) }),
    tried: address,
    forgiving: true,
  },
  'POST /passkey/register-options': { body: z.strictObject({ password: CurrentPassword.optional() }), ...byPassword },
  'POST /passkey/register': { body: z.strictObject({ name: Name, response: Credential.extend({ response: Attestation }) }) },
  'POST /passkey/remove': { body: z.strictObject({ id: z.uuid(), password: CurrentPassword.optional() }), ...byPassword },
  'POST /passkey/sign-in-options': { body: z.strictObject({}) },
  'POST /passkey/sign-in': {
    body: z.strictObject({ response: Credential.extend({ response: Assertion }) }),
    tried: address,
    forgiving: true,
  },
};
