import { AppError, pictureType } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { isVerified } from '../accounts/account.ts';
import { accountById } from '../accounts/account-store.ts';
import { assertInternal, assertOperator, currentOrganization } from '../authorize.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { toOrganization, toOwnOrganization } from './organization.ts';
import { allOrganizations, logoBySha256, organizationById, organizationBySlug } from './organization-store.ts';

/** Members read the organization of their session; operators name any organization by its id or slug. */
export const getOrganization = [
  handle('identity.GetOrganization', async ({ organization: idOrSlug }, caller) => {
    assertOperator(caller);
    const organization = (await organizationById(idOrSlug)) ?? (await organizationBySlug(idOrSlug));
    if (organization === null) throw new AppError('organization_not_found');
    return { organization: toOrganization(organization) };
  }),
  handle('accounts.GetOrganization', async (_request, caller) => {
    const organization = await currentOrganization(caller);
    return { organization: toOwnOrganization(organization), etag: etagOf(organization) };
  }),
];

export const listOrganizations = handle('identity.ListOrganizations', async (_request, caller) => {
  assertOperator(caller);
  return { organizations: (await allOrganizations()).map(toOrganization) };
});

export const getLogo = handle('identity.GetLogo', async ({ sha256 }, caller) => {
  assertInternal(caller);
  const content = await logoBySha256(sha256);
  const content_type = content && pictureType(content);
  if (content === undefined || content_type === undefined) throw new AppError('file_not_found');
  return { content, content_type };
});

const suspended = 'The agency of this link is suspended: the link works again once it is resumed';

export const getJoining = handle('identity.GetJoining', async ({ account_id }, caller) => {
  assertInternal(caller);
  const [organization, account] = await Promise.all([currentOrganization(caller), accountById(account_id)]);
  if (organization.suspended_at) throw new AppError('organization_suspended', [{ path: '', message: suspended }]);
  if (account === null) throw new AppError('invalid_session');
  // The client with this email may have been invited: only its owner may become its user.
  if (!isVerified(account))
    throw new AppError('validation_failed', [{ path: '', message: 'open the link in the mail to your address first' }]);
  const memberships = (await membershipsOf(account_id)).filter(({ org_id }) => org_id === organization._id);
  const belongs = memberships.some(({ paused }) => !paused);
  // Whatever its email is by now: its client was suspended or removed, or has left.
  if (!belongs && memberships.length > 0) throw new AppError('client_paused');
  return { email: account.email, name: account.name ?? undefined, belongs };
});
