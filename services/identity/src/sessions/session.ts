import { createProjection, Session, type SessionRole, type StateOf, withDates } from '@webkiln/contract';

/** An account's access to an organization: as its member, or as the user of one of its clients. */
export interface Membership {
  org_id: string;
  kind: 'member' | 'user';
  /** The member's or the user's id. */
  id: string;
  role: SessionRole;
  /** The client, if the account is a client's user. */
  client_id: string | null;
  /** True while the client is suspended or has left: the membership gives no access. */
  paused: boolean;
  /** The client joined by a build link: it has a share of the organization's quotas. */
  joined_by_link: boolean;
}

const computedFields = { current: true } as const;
const DatedSession = withDates(Session);
/** The public record; `current` is null until the caller sets it. */
export const toSession = createProjection(DatedSession, computedFields);

/** A stored sign-in session, without its token. `ip_prefix` is the client's network: an IPv4 /24 or an IPv6 /64. */
export interface SessionState extends StateOf<typeof DatedSession, typeof computedFields> {
  /** HMAC-SHA256 under the pepper of the token's SHA-256: useless to an attacker who has only the database. */
  token_hash: string;
  account_id: string;
  /** The active organization; empty for none. */
  org_id: string;
  membership_kind: Membership['kind'] | null;
  membership_id: string | null;
  updated_at: Date;
  ended_at: Date | null;
}

/** The session's fields for its active organization. */
export type ActiveMembership = Pick<SessionState, 'org_id' | 'membership_kind' | 'membership_id'>;

export const noOrganization: ActiveMembership = { org_id: '', membership_kind: null, membership_id: null };

export const activeMembershipOf = ({ org_id, kind, id }: Pick<Membership, 'org_id' | 'kind' | 'id'>): ActiveMembership => ({
  org_id,
  membership_kind: kind,
  membership_id: id,
});
