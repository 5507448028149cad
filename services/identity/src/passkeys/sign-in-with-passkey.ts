import { type AuthenticationResponseJSON, generateAuthenticationOptions, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import * as z from 'zod';
import { type Passkey, passkeyByCredential, savePasskey } from '../passkeys/passkey-store.ts';
import { ownCaller } from './own-caller.ts';
import { makeChallenge, takeChallenge } from './passkey-challenges.ts';
import type { RelyingParty } from './passkeys.ts';

/** What a browser needs to offer the passkeys it has for this address; it tells nobody who has any. */
export const signInOptions = (party: RelyingParty) =>
  createAuthEndpoint('/passkey/sign-in-options', { method: 'POST', body: z.object({}) }, async (context) => {
    const challenge = await makeChallenge(context, 'sign in');
    const options = await generateAuthenticationOptions({ rpID: party.id, challenge, userVerification: 'required' });
    return context.json({ options });
  });

/** Signs in who holds a passkey and unlocked it: two factors at once, so that no other one is asked for. */
export const signInByPasskey = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/sign-in',
    { method: 'POST', body: z.object({ response: z.custom<AuthenticationResponseJSON>() }) },
    async (context) => {
      const { response } = context.body;
      const challenge = await takeChallenge(context, 'sign in', response.response.clientDataJSON);
      const caller = ownCaller();
      // The counter is checked against what is kept now: of two uses at one count the second is refused.
      const { account_id } = await saveWithRetry(caller, async () => {
        const passkey = await passkeyByCredential(response.id);
        if (passkey === null) throw refused();
        const { newCounter, credentialBackedUp } = await verified(party, passkey, challenge, response);
        return savePasskey(caller, passkey, { counter: newCounter, backed_up: credentialBackedUp, last_used_at: new Date() });
      });
      const user = await context.context.internalAdapter.findUserById(account_id);
      if (user === null) throw refused();
      const session = await context.context.internalAdapter.createSession(account_id);
      await setSessionCookie(context, { session, user });
      return context.json({ user });
    },
  );

async function verified(party: RelyingParty, passkey: Passkey, expectedChallenge: string, response: AuthenticationResponseJSON) {
  const { credential_id, public_key, counter, account_id } = passkey;
  const credential = { id: credential_id, publicKey: Buffer.from(public_key, 'base64url'), counter };
  const expected = { expectedChallenge, expectedOrigin: party.origin, expectedRPID: party.id, requireUserVerification: true };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(() => {
    throw refused();
  });
  // Whose it is by the device's word (WebAuthn §7.2, step 6).
  const isOwners = Buffer.from(response.response.userHandle ?? '', 'base64url').toString() === account_id;
  if (!verified || !isOwners) throw refused();
  return authenticationInfo;
}

const refused = () => new APIError('UNAUTHORIZED', { code: 'PASSKEY_REFUSED', message: 'This passkey opens no account here' });
