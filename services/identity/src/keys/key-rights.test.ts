import type { Role } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { introspectKeys, newKey, newMember, newOrganization, refusal, sessionOf, useIdentity } from '../testing/running-identity.ts';

useIdentity();

type Members = Record<Exclude<Role, 'viewer'>, { id: string; caller: Caller }>;

let org: string;
let members: Members;
beforeEach(async () => {
  org = await newOrganization();
  const added = (['owner', 'admin', 'developer'] as const).map(async (role) => {
    const id = await newMember(org, role);
    return [role, { id, caller: await sessionOf(org, id, role) }] as const;
  });
  members = Object.fromEntries(await Promise.all(added)) as Members;
});

const rotate = (key_id: string, caller: Caller) => call('accounts.RotateKey', { key_id, grace_hours: 0 }, caller);
const revoke = (key_id: string, caller: Caller) => call('accounts.RevokeKey', { key_id }, caller);
const isValid = async (secret: string) => (await introspectKeys(secret))[0]?.valid;

test("a developer can neither rotate nor revoke an owner's or an operator's key, and both keep working", async () => {
  const keys = [await newKey(org, { created_by: members.owner.id }), await newKey(org)];
  for (const key of keys) {
    for (const { caller } of [members.developer, members.admin]) {
      for (const manage of [rotate, revoke]) await expect(manage(key.id, caller)).rejects.toThrow(refusal('role_missing', ''));
    }
    expect(await isValid(key.secret)).toBe(true);
  }
  const { keys: listed } = await call('accounts.ListKeys', {}, members.owner.caller);
  expect(listed.map(({ replaced_by = null, creator_role = null }) => [replaced_by, creator_role])).toEqual([
    [null, null],
    [null, 'owner'],
  ]);
});

test("members rotate and revoke the keys of their own role and of lesser ones, owners also an operator's", async () => {
  const { id } = await newKey(org, { created_by: members.developer.id });
  const { key: rotated } = await rotate(id, members.admin.caller);
  expect(rotated).toMatchObject({ created_by: members.developer.id, creator_role: 'developer', rotated_by: members.admin.id });
  await revoke(rotated?.id ?? '', members.developer.caller);
  const { key: theirs } = await rotate((await newKey(org)).id, members.owner.caller);
  expect(theirs).toMatchObject({ rotated_by: members.owner.id });
  expect([theirs?.created_by, theirs?.creator_role]).toEqual([undefined, undefined]);
});

test('a demoted member loses the right to rotate the key that the former role created', async () => {
  const key = await newKey(org, { created_by: members.admin.id });
  await call('accounts.ChangeMember', { member_id: members.admin.id, role: 'developer', update_mask: ['role'] }, members.owner.caller);
  await expect(rotate(key.id, members.admin.caller)).rejects.toThrow(refusal('role_missing', ''));
});

const remove = (member_id: string, revoke_keys: boolean, caller: Caller) =>
  call('accounts.RemoveMember', { member_id, revoke_keys }, caller);

test('removing a member returns and revokes the keys that the member rotated, beside those it created', async () => {
  const own = await newKey(org, { created_by: members.developer.id });
  const { key, secret } = await rotate((await newKey(org, { created_by: members.admin.id })).id, members.admin.caller);
  const other = await rotate((await newKey(org, { created_by: members.developer.id })).id, members.admin.caller);
  const untouched = await newKey(org, { created_by: members.owner.id });
  const removed = await remove(members.admin.id, true, members.owner.caller);
  expect(removed.keys.map(({ id }) => id)).toEqual(expect.arrayContaining([key?.id, other.key?.id]));
  expect([await isValid(secret), await isValid(other.secret)]).toEqual([false, false]);
  expect([await isValid(own.secret), await isValid(untouched.secret)]).toEqual([true, true]);
});

test('an admin cannot remove a member and revoke a key with more rights than an admin: nothing changes', async () => {
  const former = await newMember(org, 'owner');
  const key = await newKey(org, { created_by: former });
  await call('accounts.ChangeMember', { member_id: former, role: 'developer', update_mask: ['role'] }, members.owner.caller);
  await expect(remove(former, true, members.admin.caller)).rejects.toThrow(refusal('role_missing', ''));
  expect(await isValid(key.secret)).toBe(true);
  const { keys } = await remove(former, true, members.owner.caller);
  expect(keys).toMatchObject([{ id: key.id, revoked_at: expect.any(String) }]);
});
