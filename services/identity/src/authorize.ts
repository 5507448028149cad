import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import type { OrganizationState } from './organizations/organization.ts';
import { organizationById } from './organizations/organization-store.ts';

type Asking = Pick<Caller, 'principal'>;

/** Organizations, members and keys are managed by operators alone: a key that makes keys would outlive its own revocation. */
export function assertOperator({ principal }: Asking): void {
  if (principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** What services ask of each other is for no API key. */
export function assertInternal({ principal }: Asking): void {
  if (principal.kind !== 'service' && principal.kind !== 'operator') throw new AppError('permission_missing');
}

/** The organization that an operator acts for. Throws `organization_not_found` where there is none. */
export async function operatedOrganization(caller: Asking): Promise<OrganizationState> {
  assertOperator(caller);
  return existingOrganization(caller);
}

/** The organization that a call is about. Throws `organization_not_found` where there is none. */
export async function existingOrganization({ principal }: Asking): Promise<OrganizationState> {
  const organization = await organizationById(principal.org_id);
  if (organization === null) throw new AppError('organization_not_found');
  return organization;
}
