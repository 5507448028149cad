import { randomUUID } from 'node:crypto';
import type { Role } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { claimAccount } from '../accounts/claim-account.ts';
import {
  apiKeyOf,
  authSecrets,
  introspectKeys,
  newKey,
  newMember,
  newOrganization,
  operator,
  present,
  refusal,
  service,
  sessionOf,
  useIdentity,
} from '../testing/running-identity.ts';
import { invitationTokens } from './invitation.ts';

useIdentity();

describe('members', () => {
  let org: string;
  beforeAll(async () => {
    org = await newOrganization();
  });

  const newEmail = () => `${randomUUID()}@example.com`;
  const add = (wanted: { email: string; role: string; password?: string }, orgId = org) =>
    call('identity.AddMember', wanted, operator(orgId));
  const remove = (member_id: string, revoke_keys: boolean, orgId = org) =>
    call('identity.RemoveMember', { member_id, revoke_keys }, operator(orgId));
  const membersOf = async (orgId: string) => (await call('identity.ListMembers', {}, operator(orgId))).members;
  const accounts = (email: string) => mongoose.connection.collection('accounts').countDocuments({ email_folded: email.toLowerCase() });

  test.each(['owner', 'admin', 'developer', 'viewer'])('a member can have the role %s', async (role) => {
    const own = await newOrganization();
    const email = newEmail();
    const { member } = await add({ email, role }, own);
    expect(member).toMatchObject({ email, role });
    expect(await membersOf(own)).toEqual([member]);
  });

  test.each(['', 'Owner', 'root'])('%p is not a role', async (role) => {
    await expect(add({ email: newEmail(), role })).rejects.toThrow(refusal('validation_failed', 'role'));
  });

  test('a person is a member of an organization once, whatever the email’s case, even when added ten times concurrently', async () => {
    const email = newEmail();
    const tries = Array.from({ length: 10 }, (_, at) => add({ email: at % 2 === 0 ? email : email.toUpperCase(), role: 'admin' }));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('member_exists'));
    }
    expect(await accounts(email)).toBe(1);
  });

  test('a person can be a member of two organizations with one account', async () => {
    const email = newEmail();
    const other = await newOrganization();
    await add({ email, role: 'owner' });
    await add({ email, role: 'viewer' }, other);
    expect(await membersOf(other)).toMatchObject([{ email, role: 'viewer' }]);
    expect(await accounts(email)).toBe(1);
  });

  test('adding a member sets a password only for an account without one', async () => {
    const email = newEmail();
    await add({ email, role: 'owner' });
    const other = await newOrganization();
    await add({ email, role: 'owner', password: 'a first password' }, other);
    await expect(add({ email, role: 'owner', password: 'another password' }, await newOrganization())).rejects.toThrow(
      refusal('validation_failed', 'password'),
    );
    const activation = { user_id: randomUUID(), email, password: 'a first password' };
    await expect(call('identity.ActivateUser', activation, service('clients-plans', org))).resolves.toHaveProperty('account_id');
  });

  test('removing a member returns the working keys and keeps them', async () => {
    const member = await newMember(org, 'developer');
    const [live, revoked] = [await newKey(org, { created_by: member }), await newKey(org, { created_by: member })];
    await newKey(org);
    await call('identity.RevokeKey', { key_id: revoked.id }, operator(org));
    const { keys } = await remove(member, false);
    expect(keys).toEqual([expect.objectContaining({ id: live.id })]);
    expect(await introspectKeys(live.secret)).toMatchObject([{ valid: true }]);
    expect((await membersOf(org)).map(({ id }) => id)).not.toContain(member);
  });

  test("removing a member with revoke_keys revokes that member's keys and no others", async () => {
    const member = await newMember(org, 'developer');
    const [own, others] = [await newKey(org, { created_by: member }), await newKey(org, { created_by: await newMember(org, 'admin') })];
    const { keys } = await remove(member, true);
    expect(keys).toMatchObject([{ id: own.id, revoked_at: expect.any(String) }]);
    expect(await introspectKeys(own.secret, others.secret)).toMatchObject([{ valid: false }, { valid: true }]);
  });

  test('a removed member is no longer listed and can be added again', async () => {
    const email = newEmail();
    const { member } = await add({ email, role: 'owner' });
    await remove(member?.id ?? '', false);
    await expect(remove(member?.id ?? '', false)).rejects.toThrow(refusal('member_not_found'));
    await expect(add({ email, role: 'viewer' })).resolves.toMatchObject({ member: { role: 'viewer' } });
  });

  test("another organization's member cannot be removed and is reported as not found", async () => {
    const other = await newOrganization();
    const stranger = await newMember(other, 'owner');
    const key = await newKey(other, { created_by: stranger });
    await expect(remove(stranger, true)).rejects.toThrow(refusal('member_not_found'));
    expect(await membersOf(other)).toMatchObject([{ id: stranger }]);
    expect(await introspectKeys(key.secret)).toMatchObject([{ valid: true }]);
  });

  test('only operators can add and remove members', async () => {
    const member = await newMember(org, 'viewer');
    for (const caller of [apiKeyOf(org), service('gateway', org)]) {
      await expect(call('identity.AddMember', { email: newEmail(), role: 'owner' }, caller)).rejects.toThrow(refusal('permission_missing'));
      await expect(call('identity.RemoveMember', { member_id: member }, caller)).rejects.toThrow(refusal('permission_missing'));
    }
  });

  test('a service acting for an organization can list its members; an API key cannot', async () => {
    const own = await newOrganization();
    const member = await newMember(own, 'admin');
    expect((await call('identity.ListMembers', {}, service('webhooks', own))).members).toMatchObject([{ id: member, role: 'admin' }]);
    await expect(call('identity.ListMembers', {}, apiKeyOf(own))).rejects.toThrow(refusal('permission_missing'));
  });

  test('an attempt that ended after setting the password can be retried', async () => {
    const email = newEmail();
    const wanted = { email, role: 'owner', password: 'a first password' };
    await add(wanted);
    const other = await newOrganization();
    expect((await add(wanted, other)).member).toMatchObject({ email, role: 'owner' });
  });
});

describe('invitations', () => {
  let org: string;
  let inviter: string;
  beforeEach(async () => {
    org = await newOrganization();
    await newMember(org, 'owner');
  });

  /** Lets a member with `role` invite to `wanted`. Returns the person's attempt to accept. */
  async function invite(role: Role, wanted: Role): Promise<() => Promise<unknown>> {
    inviter = await newMember(org, role);
    const email = `${randomUUID()}@example.com`;
    const { invitation } = await call('accounts.InviteMember', { email, role: wanted }, await sessionOf(org, inviter, role));
    const { _id: account_id } = await claimAccount(operator(org), { email, name: null, password: 'correct horse battery' });
    const { principal, ...sent } = operator('');
    const person: Caller = {
      ...sent,
      principal: { ...principal, kind: 'session', credential_id: randomUUID(), permissions: [], account_id },
    };
    const token = invitationTokens(authSecrets).issue({ org_id: org, invitation_id: present(invitation).id });
    return () => call('accounts.AcceptInvitation', { token }, person);
  }

  const change = async (role: Role) => {
    const member = await newMember(org, 'owner');
    await call('accounts.ChangeMember', { member_id: inviter, role, update_mask: ['role'] }, await sessionOf(org, member, 'owner'));
  };
  const open = async () => (await call('accounts.ListInvitations', {}, await sessionOf(org, await newMember(org, 'owner'), 'owner'))).total;

  test('an invitation by a member who was removed since cannot be accepted, and is no longer listed', async () => {
    const accept = await invite('admin', 'viewer');
    expect(await open()).toBe(1);
    await call('identity.RemoveMember', { member_id: inviter }, operator(org));
    await expect(accept()).rejects.toThrow(refusal('inviter_not_allowed'));
    expect(await open()).toBe(0);
  });

  test('an invitation of a suspended organization is refused, and works again once it is resumed', async () => {
    const accept = await invite('admin', 'viewer');
    await call('identity.SuspendOrganization', {}, operator(org));
    await expect(accept()).rejects.toThrow(refusal('organization_suspended'));
    await call('identity.ResumeOrganization', {}, operator(org));
    await expect(accept()).resolves.toMatchObject({ role: 'viewer' });
  });

  test.each([
    ['owner', 'owner', 'admin'],
    ['owner', 'viewer', 'developer'],
    ['admin', 'admin', 'viewer'],
  ] as const)('an %s who invited to the role %s and is %s now has invited in vain', async (role, wanted, now) => {
    const accept = await invite(role, wanted);
    await change(now);
    await expect(accept()).rejects.toThrow(refusal('inviter_not_allowed'));
    expect(await open()).toBe(0);
  });

  test('an invitation stays valid while its sender may still invite to its role', async () => {
    const accept = await invite('owner', 'developer');
    await change('admin');
    expect(await open()).toBe(1);
    expect(await accept()).toMatchObject({ role: 'developer', organization: { id: org } });
  });
});
