import { createProjection, Passkey, type StateOf, withDates } from '@webkiln/contract';
import type { Signer } from '@webkiln/sealing';

export const StoredPasskey = withDates(Passkey);

/** The public half of a key pair that signs in, kept by a device or password manager (WebAuthn Level 3). */
export interface PasskeyState extends StateOf<typeof StoredPasskey> {
  account_id: string;
  /** The authenticator's id of the key pair, base64url. */
  credential_id: string;
  /** COSE_Key (RFC 9052 §7), base64url. */
  public_key: string;
  /** The authenticator's signature counter; 0 if it does not count. */
  counter: number;
  transports: string[];
  removed_at: Date | null;
}

/** Loaded with the first use of a passkey: with its parsers of certificates it takes 4 MB. */
export const webauthn = () => import('@simplewebauthn/server');

/** Keeps lists short. Two concurrent additions may exceed it by one. */
export const maxPasskeys = 20;

/** The public record. */
export const toPasskey = createProjection(StoredPasskey);

/** WebAuthn's relying party: the site that passkeys sign in to. */
export interface RelyingParty {
  readonly name: string;
  /** The host of the public URL, to which passkeys are bound forever. */
  readonly id: string;
  readonly origin: string;
  /** Signs challenges. */
  readonly signer: Signer;
}
