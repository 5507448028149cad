import { AppError } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';

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

/** `<organization>.<invitation>.<base64url HMAC-SHA256 of both>`; the first secret signs, each verifies. */
export function invitationTokens(secrets: SecretList): InvitationTokens {
  const { sign, isSigned } = signer(secrets);
  return {
    issue({ org_id, invitation_id }) {
      const named = `${org_id}.${invitation_id}`;
      return `${named}.${sign(`invitation ${named}`)}`;
    },
    read(token) {
      const [named, signature] = splitSigned(token);
      if (!isSigned(`invitation ${named}`, signature)) throw new AppError('invitation_not_found');
      const [org_id = '', invitation_id = ''] = named.split('.');
      return { org_id, invitation_id };
    },
  };
}
