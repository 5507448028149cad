import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { changeOrganization, type OrganizationPatch, toOwnOrganization } from './organization.ts';
import { saveOrganization } from './organization-store.ts';

export const updateOrganization = handle('accounts.UpdateOrganization', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    assertMatches(caller, current);
    const change = changeOrganization(current, maskedFields<OrganizationPatch>(request));
    const organization = change === null ? current : await saveOrganization(caller, current, change);
    return { organization: toOwnOrganization(organization), etag: etagOf(organization) };
  }),
);
