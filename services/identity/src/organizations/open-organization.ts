import { AppError } from '@webkiln/contract';
import { handle, onBehalf } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { insertMember } from '../members/member-store.ts';
import { makeOrganization } from '../organizations/make-organization.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { placeOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { accountOf } from './signed-in.ts';

/** An earlier attempt of the same request may have made the organization, its owner, or both. */
export const openOrganization = handle('accounts.OpenOrganization', async ({ name }, caller) => {
  const account_id = accountOf(caller);
  const _id = newId(caller, 'organization');
  const others = (await membershipsOf(account_id)).filter(({ org_id }) => org_id !== _id);
  if (others.length > 0) throw new AppError('organization_exists');
  const organization = await makeOrganization(caller, { _id, name, rate_limit: null });
  const member = { _id: newId(caller, 'member'), account_id, role: 'owner' as const, created_at: new Date() };
  const { _id: id } = await insertMember(onBehalf('identity', caller, _id), member);
  const place = placeOf({ org_id: _id, kind: 'member', id });
  await moveSession(caller, { _id: caller.principal.credential_id }, place);
  return { organization: toOwnOrganization(organization) };
});
