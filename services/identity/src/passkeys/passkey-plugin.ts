import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { serviceCaller } from '@webkiln/messages';
import type { SecretList } from '@webkiln/runtime';
import { signer } from '@webkiln/sealing';
import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import * as z from 'zod';
import { accountAuditEvent } from '../audit/account-audit-event.ts';
import { assertReauthenticated } from '../sign-in/account-checks.ts';
import { type RelyingParty, webauthn } from './passkey.ts';
import { consumeChallenge, createChallenge } from './passkey-challenges.ts';
import { type Passkey, passkeyByCredential, passkeyById, savePasskey } from './passkey-store.ts';
import { registerPasskey, registrationOptions } from './register-passkey.ts';

/** Options with which a browser offers its passkeys for this site. They do not reveal which accounts have passkeys. */
const signInOptions = (party: RelyingParty) =>
  createAuthEndpoint('/passkey/sign-in-options', { method: 'POST', body: z.object({}) }, async (context) => {
    const challenge = await createChallenge(context, party.signer, 'sign in');
    const { generateAuthenticationOptions } = await webauthn();
    const options = await generateAuthenticationOptions({ rpID: party.id, challenge, userVerification: 'required' });
    return context.json({ options });
  });

/** Signs in with an unlocked passkey, which counts as both factors: no second factor is asked for. */
const signInWithPasskey = (party: RelyingParty) =>
  createAuthEndpoint(
    '/passkey/sign-in',
    { method: 'POST', body: z.object({ response: z.custom<AuthenticationResponseJSON>() }) },
    async (context) => {
      const { response } = context.body;
      const challenge = await consumeChallenge(context, party.signer, {
        purpose: 'sign in',
        clientDataJSON: response.response.clientDataJSON,
      });
      const caller = serviceCaller('identity');
      // The counter is checked against the latest stored value, so a cloned passkey's repeated count is refused.
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
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(() => {
    throw refused();
  });
  // The user handle must be the passkey's owner (WebAuthn §7.2, step 6).
  const isOwner = Buffer.from(response.response.userHandle ?? '', 'base64url').toString() === account_id;
  if (!verified || !isOwner) throw refused();
  return authenticationInfo;
}

const refused = () => new APIError('UNAUTHORIZED', { code: 'PASSKEY_REFUSED', message: 'This passkey opens no account here' });

/**
 * Passkeys for the sign-in library. Its own plugin cannot require user verification (an unlocked device), which ours
 * must.
 */
export function passkeyPlugin(origin: string, secrets: SecretList) {
  const party: RelyingParty = { name: 'Webkiln', id: new URL(origin).hostname, origin, signer: signer(secrets) };
  return {
    id: 'passkeys',
    endpoints: {
      passkeyRegistrationOptions: registrationOptions(party),
      registerPasskey: registerPasskey(party),
      passkeySignInOptions: signInOptions(party),
      signInWithPasskey: signInWithPasskey(party),
      removePasskey,
    },
  };
}

/** Removes a passkey of the signed-in account. */
const removePasskey = createAuthEndpoint(
  '/passkey/remove',
  { method: 'POST', body: z.object({ id: z.string(), password: z.string().optional() }), use: [sessionMiddleware] },
  async (context) => {
    const { user } = context.context.session;
    const { id, password } = context.body;
    await assertReauthenticated(context.context.session, password);
    const caller = serviceCaller('identity');
    await saveWithRetry(caller, async () => {
      const passkey = await passkeyById(user.id, id);
      if (passkey === null)
        throw new APIError('NOT_FOUND', { code: 'PASSKEY_NOT_FOUND', message: 'No passkey with this id in your account' });
      const removed = await accountAuditEvent(user.id, 'passkey.removed', { target: { kind: 'passkey', id, name: passkey.name } });
      await savePasskey(caller, passkey, { removed_at: new Date() }, [removed]);
    });
    return context.json({ deleted: true, id });
  },
);
