import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '@webkiln/contract';

interface InvitationRef {
  org_id: string;
  invitation_id: string;
}

/**
 * The token in an invitation's link. It is derived from the invitation and a secret, so neither the store nor an event
 * holds it.
 */
export interface InvitationTokens {
  issue(ref: InvitationRef): string;
  /** Throws `invitation_not_found` for a token that is not genuine. */
  read(token: string): InvitationRef;
}

/** `<organization>.<invitation>.<base64url HMAC-SHA256 of both>` (RFC 2104). */
export function invitationTokens(secret: string): InvitationTokens {
  const issue = ({ org_id, invitation_id }: InvitationRef) => {
    const named = `${org_id}.${invitation_id}`;
    return `${named}.${createHmac('sha256', secret).update(`invitation ${named}`).digest('base64url')}`;
  };
  return {
    issue,
    read(token) {
      const [org_id = '', invitation_id = ''] = token.split('.');
      const [given, genuine] = [Buffer.from(token), Buffer.from(issue({ org_id, invitation_id }))];
      if (given.length !== genuine.length || !timingSafeEqual(given, genuine)) throw new AppError('invitation_not_found');
      return { org_id, invitation_id };
    },
  };
}
