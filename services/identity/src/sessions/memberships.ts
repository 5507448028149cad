import { memberIn, membershipsAcross } from '../members/member-store.ts';
import { accessOf, type UserRecord, userIn, usersAcross } from '../users/user-store.ts';
import type { ActiveMembership, Membership, SessionState } from './session.ts';

const ofMember = { paused: false, joined_by_link: false };

/** All memberships of an account in all organizations: members first, then clients' users, each oldest first. */
export async function membershipsOf(account_id: string): Promise<Membership[]> {
  const [members, users] = await Promise.all([membershipsAcross(account_id), usersAcross(account_id)]);
  return [
    ...members.map(({ _id, org_id, role }) => ({ org_id, kind: 'member' as const, id: _id, role, client_id: null, ...ofMember })),
    ...(await Promise.all(users.map(ofUser))),
  ];
}

/** The memberships that give access. */
export const openMembershipsOf = async (account_id: string): Promise<Membership[]> =>
  (await membershipsOf(account_id)).filter(({ paused }) => !paused);

const ofUser = async ({ _id, org_id, client_id = null }: UserRecord): Promise<Membership> => ({
  org_id,
  kind: 'user',
  id: _id,
  role: 'client',
  client_id,
  ...(await accessOf(org_id, _id)),
});

/** The membership of a session or an OAuth grant; null if it has ended or its client is suspended. */
export async function currentMembership(session: Pick<SessionState, 'account_id' | keyof ActiveMembership>): Promise<Membership | null> {
  const { org_id, account_id, membership_kind, membership_id } = session;
  if (org_id === '' || membership_id === null) return null;
  if (membership_kind === 'member') {
    const member = await memberIn(org_id, membership_id);
    if (member?.account_id !== account_id) return null;
    return { org_id, kind: 'member', id: membership_id, role: member.role, client_id: null, ...ofMember };
  }
  const user = await userIn(org_id, membership_id);
  if (user?.account_id !== account_id) return null;
  const membership = await ofUser(user);
  return membership.paused ? null : membership;
}
