import { register, registrationOptions } from './passkey-registration.ts';
import { removePasskey } from './passkey-removal.ts';
import { signInByPasskey, signInOptions } from './passkey-sign-in.ts';

/** Whom passkeys are for (WebAuthn's relying party). */
export interface RelyingParty {
  readonly name: string;
  /** The host of the public address: passkeys are bound to it for good. */
  readonly id: string;
  readonly origin: string;
}

/** Passkeys for the sign-in library; its own plugin cannot insist on a locked device (user verification), and ours must. */
export function passkeys(origin: string) {
  const party: RelyingParty = { name: 'Webkiln', id: new URL(origin).hostname, origin };
  return {
    id: 'passkeys',
    endpoints: {
      passkeyRegistrationOptions: registrationOptions(party),
      registerPasskey: register(party),
      passkeySignInOptions: signInOptions(party),
      signInByPasskey: signInByPasskey(party),
      removePasskey,
    },
  };
}
