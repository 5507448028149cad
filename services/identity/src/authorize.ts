import { AppError, includesRole } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import type { Actor } from './keys/key.ts';
import { keyById } from './keys/key-store.ts';
import { type MemberRecord, memberIn, memberOf } from './members/member-store.ts';
import { type OrganizationRecord, organizationById } from './organizations/organization-store.ts';

type PrincipalOnly = Pick<Caller, 'principal'>;

/** Only operators manage every organization: an API key that could create keys would outlive its own revocation. */
export function assertOperator({ principal }: PrincipalOnly): void {
  if (principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** For calls between services, which no API key or session may make. */
export function assertInternal({ principal }: PrincipalOnly): void {
  if (principal.kind !== 'service' && principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** The organization that the call is for. Throws `organization_not_found`. */
export async function currentOrganization({ principal }: PrincipalOnly): Promise<OrganizationRecord> {
  const organization = await organizationById(principal.org_id);
  if (organization === null) throw new AppError('organization_not_found');
  return organization;
}

/**
 * Limits a use case to operators that name an existing organization. Throws `permission_missing` or
 * `organization_not_found`.
 */
export const forOperators =
  <Request, C extends PrincipalOnly, Reply>(run: (request: Request, caller: C) => Promise<Reply>) =>
  async (request: Request, caller: C): Promise<Reply> => {
    assertOperator(caller);
    await currentOrganization(caller);
    return run(request, caller);
  };

/** The account of the caller's session. Throws `session_required` for callers without a session. */
export function currentAccountId({ principal }: PrincipalOnly): string {
  if (principal.kind !== 'session' || principal.account_id === undefined) throw new AppError('session_required');
  return principal.account_id;
}

/** The member whose session makes the call. Throws `session_required` or `member_not_found`. */
export async function currentMember(caller: Caller): Promise<MemberRecord> {
  const member = await memberOf(caller, currentAccountId(caller));
  if (member === null) throw new AppError('member_not_found');
  return member;
}

const answerless = 'Nobody who belongs to this organization with that role answers for this key: use the key of a present member';

/**
 * Who makes the call. A key manages people and credentials only while the member whom it was shown to is there and has
 * its role: nobody comes back by a key. Throws `session_required`, `member_not_found`, `role_missing` or
 * `key_not_found`.
 */
export async function currentActor(caller: Caller): Promise<Actor> {
  const { kind, credential_id, org_id } = caller.principal;
  if (kind !== 'api_key') return currentMember(caller);
  const key = await keyById(caller, credential_id);
  const { creator_role: role, rotated_by, created_by } = key;
  const answering = rotated_by ?? created_by;
  if (role === null || answering === null) return { _id: null, role: role ?? 'owner', key };
  const member = await memberIn(org_id, answering);
  if (member === null || !includesRole(member.role, role)) throw new AppError('role_missing', [{ path: '', message: answerless }]);
  return { _id: answering, role, key };
}

/** The same, where a member must answer for what is made. */
export async function answeringActor(caller: Caller): Promise<Actor & { readonly _id: string }> {
  const actor = await currentActor(caller);
  if (actor._id === null) throw new AppError('role_missing', [{ path: '', message: answerless }]);
  return { ...actor, _id: actor._id };
}
