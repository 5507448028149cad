import { AppError, accessToRpc, createProjection, Invitation, permissionsOf, refusalOf, type StateOf, withDates } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';
import type { SecretList } from '@webkiln/runtime';
import { signer, splitSigned } from '@webkiln/sealing';
import { foldEmail } from '../accounts/account.ts';
import { type MemberState, mayManage } from './member.ts';

export const StoredInvitation = withDates(Invitation);

/** An invitation to join an organization as a member, until it is accepted, withdrawn or expired. */
export interface InvitationState extends StateOf<typeof StoredInvitation> {
  email_folded: string;
  /** The id of the inviting member. */
  invited_by: string;
}

export const invitationDays = 7;

type Draft = Pick<InvitationState, '_id' | 'email' | 'role' | 'invited_by'>;

const expiryFrom = (now: Date) => new Date(now.getTime() + invitationDays * 24 * 3_600_000);
/** The event's consumer sends the mail. */
const mailed = (invitation_id: string): RaisedEvent => ({ type: 'internal.member.invited', data: { invitation_id } });

export function invite(draft: Draft, now: Date): Change<InvitationState> {
  const state = { ...draft, email_folded: foldEmail(draft.email), created_at: now, expires_at: expiryFrom(now) };
  return new Change(state, [mailed(draft._id)]);
}

/** Mails the same link again, which works for the days of a new one; the member who resends it answers for it. */
export const inviteAgain = ({ _id }: InvitationState, invited_by: string, now: Date): Change<Partial<InvitationState>> =>
  new Change({ invited_by, expires_at: expiryFrom(now) }, [mailed(_id)]);

const inviting = accessToRpc('accounts.InviteMember');

/** True while the inviting member may still invite to this role; null for a member who was removed. */
export const isBacked = ({ role }: Pick<InvitationState, 'role'>, inviter: Pick<MemberState, 'role'> | null): boolean =>
  inviter !== null &&
  refusalOf({ kind: 'session', role: inviter.role, permissions: permissionsOf(inviter.role) }, inviting) === undefined &&
  mayManage(inviter, [role]);

/** The public record. */
export const toInvitation = createProjection(StoredInvitation);

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
