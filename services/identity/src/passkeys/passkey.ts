/** A key pair of somebody's device or password manager that signs in (WebAuthn Level 3); its private half never comes here. */
export interface PasskeyState {
  _id: string;
  account_id: string;
  /** The authenticator's name for it, base64url. */
  credential_id: string;
  /** COSE_Key (RFC 9052 §7), base64url. */
  public_key: string;
  /** The authenticator's signature counter; 0 of one that does not count. */
  counter: number;
  transports: string[];
  /** Whether it is synced: it survives the loss of the device. */
  backed_up: boolean;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
  removed_at: Date | null;
}

/** So that lists stay short; two that are added at once may make it one more. */
export const mostPasskeys = 20;

/** The REST shape. */
export const toPasskey = ({ _id, name, backed_up, created_at, last_used_at }: PasskeyState) => ({
  id: _id,
  name,
  backed_up,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});
