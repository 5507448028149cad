import { randomUUID } from 'node:crypto';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { serviceCaller } from '@webkiln/messages';
import { isDuplicate } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import * as z from 'zod';
import { accountAuditEvent } from '../audit/account-audit-event.ts';
import { assertReauthenticated } from '../sign-in/account-checks.ts';
import { maxPasskeys, type RelyingParty, toPasskey, webauthn } from './passkey.ts';
import { consumeChallenge, createChallenge } from './passkey-challenges.ts';
import { insertPasskey, passkeysOf } from './passkey-store.ts';

/** Options with which a device creates a passkey for the signed-in account: discoverable, with user verification. */
export const registrationOptions = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/register-options',
    { method: 'POST', body: z.object({ password: z.string().optional() }), use: [sessionMiddleware] },
    async (context) => {
      const { user } = context.context.session;
      await assertReauthenticated(context.context.session, context.body.password);
      const known = await passkeysOf(user.id);
      if (known.length >= maxPasskeys) {
        throw new APIError('BAD_REQUEST', { code: 'TOO_MANY_PASSKEYS', message: `An account has ${maxPasskeys} passkeys at most` });
      }
      const { generateRegistrationOptions } = await webauthn();
      const options = await generateRegistrationOptions({
        rpName: party.name,
        rpID: party.id,
        challenge: await createChallenge(context, party.signer, `register for ${user.id}`),
        userID: new TextEncoder().encode(user.id),
        userName: user.email,
        userDisplayName: user.name || user.email,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
      });
      return context.json({ options });
    },
  );

/** Verifies and stores the passkey that a device has created. */
export const registerPasskey = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/register',
    { method: 'POST', body: z.object({ name: z.string(), response: z.custom<RegistrationResponseJSON>() }), use: [sessionMiddleware] },
    async (context) => {
      const { user } = context.context.session;
      const { name, response } = context.body;
      const expectedChallenge = await consumeChallenge(context, party.signer, {
        purpose: `register for ${user.id}`,
        clientDataJSON: response.response.clientDataJSON,
      });
      const { credential, credentialBackedUp } = await verified(party, expectedChallenge, response);
      const state = {
        _id: randomUUID(),
        account_id: user.id,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        transports: credential.transports ?? [],
        backed_up: credentialBackedUp,
        name,
        created_at: new Date(),
        last_used_at: null,
        removed_at: null,
      };
      const added = await accountAuditEvent(user.id, 'passkey.added', { target: { kind: 'passkey', id: state._id, name } });
      const passkey = await insertPasskey(serviceCaller('identity'), state, [added]).catch((error: unknown) => {
        throw isDuplicate(error, 'credential_id') ? refused() : error;
      });
      return context.json({ passkey: toPasskey(passkey) });
    },
  );

async function verified(party: RelyingParty, expectedChallenge: string, response: RegistrationResponseJSON) {
  const expected = { expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.id, requireUserVerification: true };
  const { verifyRegistrationResponse } = await webauthn();
  const { registrationInfo } = await verifyRegistrationResponse({ response, ...expected }).catch(() => {
    throw refused();
  });
  if (registrationInfo === undefined) throw refused();
  return registrationInfo;
}

const refused = () => new APIError('BAD_REQUEST', { code: 'PASSKEY_REFUSED', message: 'This passkey cannot be added' });
