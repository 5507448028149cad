import type { SecretList } from '@webkiln/runtime';
import { signer } from '@webkiln/sealing';
import type { RelyingParty } from './passkey.ts';
import { registerPasskey, registrationOptions } from './register-passkey.ts';
import { removePasskey } from './remove-passkey.ts';
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
