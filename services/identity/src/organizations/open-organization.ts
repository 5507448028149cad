import { AppError } from '@webkiln/contract';
import { onBehalf } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { currentAccountId } from '../authorize.ts';
import { insertMember } from '../members/member-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { activeMembershipOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { insertWithFreeSlug } from './insert-with-free-slug.ts';
import { toOwnOrganization } from './organization.ts';

/** An earlier attempt of the same request may have created the organization, its owner, or both. */
export const openOrganization = handle('accounts.OpenOrganization', async ({ name }, caller) => {
  const account_id = currentAccountId(caller);
  const _id = newId(caller, 'organization');
  const others = (await membershipsOf(account_id)).filter(({ org_id }) => org_id !== _id);
  if (others.length > 0) throw new AppError('organization_exists');
  const organization = await insertWithFreeSlug(caller, { _id, name, rate_limit: null });
  const member = { _id: newId(caller, 'member'), account_id, role: 'owner' as const, created_at: new Date() };
  const { _id: id } = await insertMember(onBehalf('identity', caller, _id), member);
  const membership = activeMembershipOf({ org_id: _id, kind: 'member', id });
  await moveSession(caller, { _id: caller.principal.credential_id }, membership);
  return { organization: toOwnOrganization(organization) };
});
