import type { SecretList } from '@webkiln/runtime';
import { signer } from '@webkiln/sealing';
import { saveWithRetry } from '@webkiln/store';
import { APIError, createAuthEndpoint, sessionMiddleware } from 'better-auth/api';
import * as z from 'zod';
import { accountAuditEvent } from '../audit/account-audit-event.ts';
import { identityCaller } from '../identity-caller.ts';
import { assertReauthenticated } from '../sign-in/account-checks.ts';
import type { RelyingParty } from './passkey.ts';
import { passkeyById, savePasskey } from './passkey-store.ts';
import { registerPasskey, registrationOptions } from './register-passkey.ts';
import { signInOptions, signInWithPasskey } from './sign-in-with-passkey.ts';

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
    const caller = identityCaller();
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
