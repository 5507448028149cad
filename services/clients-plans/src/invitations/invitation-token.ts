import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@webkiln/contract';

/** Which invitation of which client a link stands for. */
export interface Invitation {
  org_id: string;
  client_id: string;
  /** The client's count of invitations when the link was made. */
  invitation: number;
}

/** What an activation link carries: an invitation sealed with a secret, so that nothing has to be kept for it. */
export interface InvitationTokens {
  issue(invitation: Invitation, issuedAt: Date): string;
  /** The invitation of a genuine token; throws `invitation_not_found` for any other and for one whose days are over. */
  read(token: string, now: Date): Invitation;
}

export const invitationDays = 7;
const lifetimeMs = invitationDays * 24 * 60 * 60 * 1000;

/** Tokens `<base64url of the invitation and its expiry>.<base64url HMAC-SHA256>` (RFC 2104, RFC 4648 §5). */
export function invitationTokens(secret: string): InvitationTokens {
  const seal = (payload: string) => createHmac('sha256', secret).update(payload).digest('base64url');

  return {
    issue({ org_id, client_id, invitation }, issuedAt) {
      const sealed: Sealed = [org_id, client_id, invitation, issuedAt.getTime() + lifetimeMs];
      const payload = Buffer.from(JSON.stringify(sealed)).toString('base64url');
      return `${payload}.${seal(payload)}`;
    },

    read(token, now) {
      const [payload = ''] = token.split('.', 1);
      if (!sameText(token, `${payload}.${seal(payload)}`)) throw new AppError('invitation_not_found');
      const [org_id, client_id, invitation, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Sealed;
      if (expiresAt <= now.getTime()) throw new AppError('invitation_not_found');
      return { org_id, client_id, invitation };
    },
  };
}

/** Organization, client, number, expiry in epoch milliseconds. */
type Sealed = [string, string, number, number];

function sameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
