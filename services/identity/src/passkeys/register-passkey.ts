import { randomUUID } from 'node:crypto';
import { generateRegistrationOptions, type RegistrationResponseJSON, verifyRegistrationResponse } from '@simplewebauthn/server';
import { isDuplicate } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import * as z from 'zod';
import { auditedOf } from '../audit/audited-of.ts';
import { mostPasskeys, toPasskey } from '../passkeys/passkey.ts';
import { insertPasskey, passkeysOf } from '../passkeys/passkey-store.ts';
import { assertProven } from './assert-proven.ts';
import { ownCaller } from './own-caller.ts';
import { makeChallenge, takeChallenge } from './passkey-challenges.ts';
import type { RelyingParty } from './passkeys.ts';

/** What a device needs to make a passkey for who is signed in: one that it finds by itself, and opens for nobody but its owner. */
export const registrationOptions = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/register-options',
    { method: 'POST', body: z.object({ password: z.string().optional() }), use: [sessionMiddleware] },
    async (context) => {
      const { user } = context.context.session;
      await assertProven(context.context.session, context.body.password);
      const known = await passkeysOf(user.id);
      if (known.length >= mostPasskeys) {
        throw new APIError('BAD_REQUEST', { code: 'TOO_MANY_PASSKEYS', message: `An account has ${mostPasskeys} passkeys at most` });
      }
      const options = await generateRegistrationOptions({
        rpName: party.name,
        rpID: party.id,
        challenge: await makeChallenge(context, `register for ${user.id}`),
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

/** Keeps the passkey that a device has made. */
export const register = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/register',
    { method: 'POST', body: z.object({ name: z.string(), response: z.custom<RegistrationResponseJSON>() }), use: [sessionMiddleware] },
    async (context) => {
      const { user } = context.context.session;
      const { name, response } = context.body;
      const expectedChallenge = await takeChallenge(context, `register for ${user.id}`, response.response.clientDataJSON);
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
      const added = await auditedOf(user.id, 'passkey.added', { target: { kind: 'passkey', id: state._id, name } });
      const passkey = await insertPasskey(ownCaller(), state, [added]).catch((error: unknown) => {
        throw isDuplicate(error, 'credential_id') ? refused() : error;
      });
      return context.json({ passkey: toPasskey(passkey) });
    },
  );

async function verified(party: RelyingParty, expectedChallenge: string, response: RegistrationResponseJSON) {
  const expected = { expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.id, requireUserVerification: true };
  const { registrationInfo } = await verifyRegistrationResponse({ response, ...expected }).catch(() => {
    throw refused();
  });
  if (registrationInfo === undefined) throw refused();
  return registrationInfo;
}

const refused = () => new APIError('BAD_REQUEST', { code: 'PASSKEY_REFUSED', message: 'This passkey cannot be added' });
