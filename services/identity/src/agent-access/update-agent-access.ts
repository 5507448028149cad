import type { AgentAccess } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { saveOrganization } from '../organizations/organization-store.ts';
import { changeAgentAccess, toAgentAccess } from './agent-access.ts';

export const updateAgentAccess = handle('accounts.UpdateAgentAccess', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    const change = changeAgentAccess(current, maskedFields<AgentAccess>(request));
    return { agent_access: toAgentAccess(change === null ? current : await saveOrganization(caller, current, change)) };
  }),
);
