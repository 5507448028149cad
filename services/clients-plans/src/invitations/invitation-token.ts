import { AppError } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';

/** The invitation that a link refers to. */
export interface Invitation {
  org_id: string;
  client_id: string;
  /** The client's number of invitations when the link was created. */
  invitation: number;
}

/** The tokens of activation links. They are signed, so nothing is stored for them. */
export interface InvitationTokens {
  issue(invitation: Invitation, issuedAt: Date): string;
  /** Returns the invitation. Throws `invitation_not_found` for forged and expired tokens. */
  read(token: string, now: Date): Invitation;
}

export const invitationDays = 7;
const lifetimeMs = invitationDays * 24 * 60 * 60 * 1000;

/**
 * Tokens `<base64url of the invitation and its expiry>.<base64url HMAC-SHA256>` (RFC 2104, RFC 4648 §5). The
 * first secret signs, each verifies.
 */
export function invitationTokens(secrets: SecretList): InvitationTokens {
  const { sign, isSigned } = signer(secrets);
  return {
    issue({ org_id, client_id, invitation }, issuedAt) {
      const claims: Claims = [org_id, client_id, invitation, issuedAt.getTime() + lifetimeMs];
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return `${payload}.${sign(payload)}`;
    },

    read(token, now) {
      const [payload, signature] = splitSigned(token);
      if (!isSigned(payload, signature)) throw new AppError('invitation_not_found');
      const [org_id, client_id, invitation, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
      if (expiresAt <= now.getTime()) throw new AppError('invitation_not_found');
      return { org_id, client_id, invitation };
    },
  };
}

/** Organization, client, number, expiry in epoch milliseconds. */
type Claims = [string, string, number, number];
