import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { accountById } from '../accounts/account-store.ts';
import { currentAccountId, currentOrganization } from '../authorize.ts';
import { orgPolicyEvent } from './org-policy.ts';
import { changeOrganization, type OrganizationChange, type OrganizationPatch, toOwnOrganization } from './organization.ts';
import { saveOrganization } from './organization-store.ts';

export const updateOrganization = handle('accounts.UpdateOrganization', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    assertMatches(caller, current);
    const change = changeOrganization(current, maskedFields<OrganizationPatch>(request));
    if (change === null) return { organization: toOwnOrganization(current), etag: etagOf(current) };
    await assertMayRequireFactor(caller, change);
    // The gateways ask anew about the sessions of the organization.
    const decidesAccess = change.client_tools !== undefined || change.require_second_factor !== undefined;
    const events = decidesAccess ? [orgPolicyEvent({ ...current, revision: current.revision + 1 })] : [];
    const organization = await saveOrganization(caller, current, change, events);
    return { organization: toOwnOrganization(organization), etag: etagOf(organization) };
  }),
);

/** An owner who switches it on must not lock itself out. Throws `role_missing`, `session_required` for
 * a key, or `validation_failed`. */
async function assertMayRequireFactor(caller: Caller, { require_second_factor }: OrganizationChange): Promise<void> {
  if (require_second_factor === undefined) return;
  const path = 'require_second_factor';
  if (caller.principal.role !== 'owner') throw new AppError('role_missing', [{ path, message: 'is for owners to change' }]);
  const account = await accountById(currentAccountId(caller));
  if (!require_second_factor || account?.two_factor === true) return;
  throw new AppError('validation_failed', [{ path, message: 'needs a second factor of your own: set it up on your account page first' }]);
}
