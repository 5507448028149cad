import { randomUUID } from 'node:crypto';
import { AppError, type Role } from '@webkiln/contract';
import { auditEvent, type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { removeChange, runInTransactionOnce, type Scope, saveChange, scoped, type Tenant, where } from '@webkiln/store';
import { lockOwners } from '../organizations/organization-store.ts';
import type { MemberState } from './member.ts';
import { MemberModel, type MemberRecord, targetOf } from './member-store.ts';

/** True if the organization has no other owner. */
export const isLastOwner = async ({ _id, org_id, role }: MemberRecord): Promise<boolean> =>
  role === 'owner' && (await scoped(MemberModel, { org_id }).count({ role: 'owner', _id: where({ $ne: _id }) }, 1)) === 0;

const changed = ({ account_id }: MemberState): RaisedEvent => ({ type: 'internal.session.changed', data: { account_id } });

/**
 * Runs a change under the organization's lock, since the last two owners may leave concurrently. Throws `last_owner`.
 */
async function keepingAnOwner(caller: Caller, member: MemberRecord, change: (tenant: Tenant) => Promise<unknown>): Promise<void> {
  const { org_id } = caller.principal;
  await runInTransactionOnce(`owners of ${org_id}: ${randomUUID()}`, async (session) => {
    const tenant = { org_id, session };
    await lockOwners(org_id, session);
    const owners = await scoped(MemberModel, tenant).count({ role: 'owner', _id: where({ $ne: member._id }) });
    if (owners === 0) throw new AppError('last_owner');
    await change(tenant);
  });
}

/**
 * Changes a member's role and invalidates cached session introspection results. Throws `last_owner` or
 * `edited_meanwhile`.
 */
export async function saveRole(caller: Caller, member: MemberRecord, role: Role): Promise<void> {
  const save = (scope: Scope) =>
    saveChange(
      MemberModel,
      scope,
      member,
      new Change({ role }, [changed(member), auditEvent(caller, 'member.changed', targetOf(member, role))]),
    );
  await (member.role === 'owner' ? keepingAnOwner(caller, member, save) : save(caller));
}

/**
 * Removes a member and invalidates cached session introspection results. The last owner is kept, unless
 * `mayBeLast`: then an operator decides that. Throws `last_owner` or `edited_meanwhile`.
 */
export async function deleteMember(caller: Caller, member: MemberRecord, mayBeLast = caller.principal.kind === 'operator'): Promise<void> {
  const remove = (scope: Scope) =>
    removeChange(MemberModel, scope, member, [changed(member), auditEvent(caller, 'member.removed', targetOf(member, member.role))]);
  await (member.role === 'owner' && !mayBeLast ? keepingAnOwner(caller, member, remove) : remove(caller));
}
