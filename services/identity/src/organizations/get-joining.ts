import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { isVerified } from '../accounts/account.ts';
import { accountById } from '../accounts/account-store.ts';
import { assertInternal } from '../authorize.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { organizationBySlug } from './organization-store.ts';

const suspended = 'The agency of this link is suspended: the link works again once it is resumed';

export const getJoining = handle('identity.GetJoining', async ({ organization: slug, account_id }, caller) => {
  assertInternal(caller);
  const [organization, account] = await Promise.all([organizationBySlug(slug), accountById(account_id)]);
  if (organization === null) throw new AppError('organization_not_found');
  if (organization.suspended_at) throw new AppError('organization_suspended', [{ path: '', message: suspended }]);
  if (account === null) throw new AppError('invalid_session');
  // The client with this email may have been invited: only its owner may become its user.
  if (!isVerified(account))
    throw new AppError('validation_failed', [{ path: '', message: 'open the link in the mail to your address first' }]);
  const memberships = await membershipsOf(account_id);
  return {
    org_id: organization._id,
    email: account.email,
    name: account.name ?? undefined,
    belongs: memberships.some(({ org_id }) => org_id === organization._id),
  };
});
