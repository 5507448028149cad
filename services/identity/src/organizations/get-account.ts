import { handle } from '@webkiln/rpc';
import { currentOrganization } from '../authorize.ts';
import { toKey } from '../keys/key.ts';
import { keyById } from '../keys/key-store.ts';
import { shownLimits } from './operator-use-cases.ts';
import type { OrgPolicySettings } from './org-policy.ts';

/** What a key or session is; the gateway adds what is used of the limits. `platform_url`: the platform's address. */
export const getAccount = (settings: OrgPolicySettings, platform_url: string) =>
  handle('accounts.GetAccount', async (_request, caller) => {
    const { kind, credential_id, role, client_id, project_id } = caller.principal;
    const isKey = kind === 'api_key';
    const [organization, key] = await Promise.all([currentOrganization(caller), isKey ? keyById(caller, credential_id) : null]);
    const { _id: id, name, slug } = organization;
    return {
      organization: { id, name, slug },
      key: key && toKey(key),
      role,
      platform_url,
      // They are the agency's, and no business of its clients or of who works on one project.
      limits: client_id === undefined && project_id === undefined ? shownLimits(organization, settings) : [],
    };
  });
