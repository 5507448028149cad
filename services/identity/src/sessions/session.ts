import type { SessionRole } from '@webkiln/contract';
import { clientNetwork } from '@webkiln/runtime';

/** Where somebody who is signed in works at the moment: as a member of an organization, or as the user of one of its clients. */
export interface Membership {
  org_id: string;
  kind: 'member' | 'user';
  /** The member's or the user's id. */
  id: string;
  role: SessionRole;
  /** Of a client's user. */
  client_id: string | null;
  /** Its client was suspended, or has left: nobody is let in by it. */
  paused: boolean;
}

/** A sign-in that lasts, as it is kept: never its token. */
export interface SessionState {
  _id: string;
  /** HMAC-SHA256 under the pepper of the token's SHA-256: worthless to who has the database alone. */
  token_hash: string;
  account_id: string;
  /** The organization it is in; empty for none. */
  org_id: string;
  membership_kind: Membership['kind'] | null;
  membership_id: string | null;
  user_agent: string;
  /** The client's network: an IPv4 /24 or an IPv6 /64. */
  ip_prefix: string;
  created_at: Date;
  updated_at: Date;
  expires_at: Date;
  ended_at: Date | null;
}

/** Which organization a session is in. */
export type SessionPlace = Pick<SessionState, 'org_id' | 'membership_kind' | 'membership_id'>;

export const nowhere: SessionPlace = { org_id: '', membership_kind: null, membership_id: null };

export const placeOf = ({ org_id, kind, id }: Pick<Membership, 'org_id' | 'kind' | 'id'>): SessionPlace => ({
  org_id,
  membership_kind: kind,
  membership_id: id,
});

/** What of an address is kept: an IPv4 address without its last number; of an IPv6 one its network, which is all that comes here. */
export const prefixOf = (address: string): string =>
  address.includes(':') ? clientNetwork(address) : address.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
