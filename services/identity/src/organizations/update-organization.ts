import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { changeOrganization, type OrganizationWish, toOwnOrganization } from '../organizations/organization.ts';
import { saveOrganization } from '../organizations/organization-store.ts';
import { ownOrganization } from './signed-in.ts';

export const updateOrganization = handle('accounts.UpdateOrganization', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await ownOrganization(caller);
    assertMatches(caller, current);
    const change = changeOrganization(current, maskedFields<OrganizationWish>(request));
    const organization = change === null ? current : await saveOrganization(caller, current, change);
    return { organization: toOwnOrganization(organization), etag: etagOf(organization) };
  }),
);
