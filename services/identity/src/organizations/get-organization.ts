import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { etagOf } from '@webkiln/store';
import { assertOperator, currentOrganization } from '../authorize.ts';
import { toOrganization, toOwnOrganization } from './organization.ts';
import { organizationById, organizationBySlug } from './organization-store.ts';

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
