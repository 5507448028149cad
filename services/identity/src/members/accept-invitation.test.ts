import { randomUUID } from 'node:crypto';
import type { Role } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { claimAccount } from '../accounts/claim-account.ts';
import {
  authSecrets,
  newMember,
  newOrganization,
  operator,
  present,
  refusal,
  sessionOf,
  useIdentity,
} from '../testing/running-identity.ts';
import { invitationTokens } from './invitation.ts';

useIdentity();

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
