import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { accountById } from '../accounts/account-store.ts';
import { currentActor, forOperators } from '../authorize.ts';
import { endSecret, toEmbedClient } from '../embed-clients/embed-client.ts';
import { embedClientById, embedClientsKnownTo, saveEmbedClient } from '../embed-clients/embed-client-store.ts';
import { type Actor, assertMayManageKey, toKey } from '../keys/key.ts';
import { keysKnownTo } from '../keys/key-store.ts';
import { revoke } from '../keys/key-use-cases.ts';
import { revokeGrants } from '../oauth/store/grant-store.ts';
import { assertMayManage, toMember } from './member.ts';
import { deleteMember, type MemberRecord, memberById } from './member-store.ts';

/**
 * Removes a member, which also ends the access of its sessions and agents to the organization. Returns the keys and
 * embed clients that the member created or rotated: with `revokeKeys` the keys are revoked and the secrets have ended.
 * Throws `last_owner`, and `role_missing` if `actor` may not revoke the keys.
 */
export async function remove(
  caller: Caller,
  member: MemberRecord,
  { revokeKeys, actor, mayBeLast }: { revokeKeys: boolean; actor?: Actor; mayBeLast?: boolean },
) {
  const known = await keysKnownTo(caller, member._id);
  if (revokeKeys && actor !== undefined) for (const key of known) assertMayManageKey(actor, key);
  // They come first: a retry after a crash must still find what the member knows.
  const keys = revokeKeys ? await Promise.all(known.map(({ _id }) => revoke(caller, _id))) : known;
  const clients = await embedClientsKnownTo(caller, member._id);
  const embed_clients = revokeKeys ? await Promise.all(clients.map(({ _id }) => endSecretOf(caller, _id, member._id))) : clients;
  await deleteMember(caller, member, mayBeLast);
  // They give no access any more; after an interruption they are left to expire.
  await revokeGrants({ account_id: member.account_id, org_id: member.org_id });
  return { keys: keys.map(toKey), embed_clients: embed_clients.map(toEmbedClient) };
}

/** A repeat ends it no second time. */
const endSecretOf = (caller: Caller, embed_client_id: string, member_id: string) =>
  saveWithRetry(caller, async () => {
    const current = await embedClientById(caller, embed_client_id);
    const id = `removal of ${member_id}`;
    return current.rotation === id ? current : saveEmbedClient(caller, current, endSecret(current, id, new Date()), 'embed_client.rotated');
  });

export const removeMember = [
  handle(
    'identity.RemoveMember',
    forOperators(async ({ member_id, revoke_keys }, caller) => {
      const member = await memberById(caller, member_id);
      const known = await remove(caller, member, { revokeKeys: revoke_keys });
      return { member: toMember(member, await accountById(member.account_id)), ...known };
    }),
  ),
  handle('accounts.RemoveMember', async ({ member_id, revoke_keys }, caller) => {
    const member = await memberById(caller, member_id);
    const actor = await currentActor(caller);
    assertMayManage(actor, [member.role]);
    return { deleted: true, id: member_id, ...(await remove(caller, member, { revokeKeys: revoke_keys, actor })) };
  }),
];
