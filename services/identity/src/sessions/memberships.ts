import { memberIn, membershipsAcross } from '../members/member-store.ts';
import { userIn, usersAcross } from '../users/user-store.ts';
import type { Membership, SessionState } from './session.ts';

/** Everything an account is anywhere, members first, in the order in which it became that. */
export async function membershipsOf(account_id: string): Promise<Membership[]> {
  const [members, users] = await Promise.all([membershipsAcross(account_id), usersAcross(account_id)]);
  return [
    ...members.map(({ _id, org_id, role }) => ({ org_id, kind: 'member' as const, id: _id, role, client_id: null })),
    ...users.map(({ _id, org_id, client_id = null }) => ({ org_id, kind: 'user' as const, id: _id, role: 'client' as const, client_id })),
  ];
}

/** What the session's account is in the session's organization now; null for nothing (any more). */
export async function currentMembership(session: SessionState): Promise<Membership | null> {
  const { org_id, account_id, membership_kind, membership_id } = session;
  if (org_id === '' || membership_id === null) return null;
  if (membership_kind === 'member') {
    const member = await memberIn(org_id, membership_id);
    if (member?.account_id !== account_id) return null;
    return { org_id, kind: 'member', id: membership_id, role: member.role, client_id: null };
  }
  const user = await userIn(org_id, membership_id);
  if (user?.account_id !== account_id) return null;
  return { org_id, kind: 'user', id: membership_id, role: 'client', client_id: user.client_id ?? null };
}
