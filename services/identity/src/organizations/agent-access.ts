import { type AgentAccess, changedFields } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { orgPolicyEvent, toAgentAccess } from './org-policy.ts';
import type { OrganizationState } from './organization.ts';
import { saveOrganization } from './organization-store.ts';

/** For members, and for mcp, which enforces it for keys. The gateways learn it of each OAuth token. */
export const getAgentAccess = handle('accounts.GetAgentAccess', async (_request, caller) => ({
  agent_access: toAgentAccess(await currentOrganization(caller)),
}));

export const updateAgentAccess = handle('accounts.UpdateAgentAccess', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    const change = changeAgentAccess(current, maskedFields<AgentAccess>(request));
    if (change === null) return { agent_access: toAgentAccess(current) };
    // The gateways ask anew about the tokens of the organization.
    const saved = await saveOrganization(caller, current, change, [orgPolicyEvent({ ...current, revision: current.revision + 1 })]);
    return { agent_access: toAgentAccess(saved) };
  }),
);

const fields = ['agents_enabled', 'disabled_tools'] as const;
type AccessFields = Pick<OrganizationState, (typeof fields)[number]>;

/** The fields that change; null if none does. Names that stand twice count once. */
function changeAgentAccess(current: AccessFields, { is_enabled, disabled_tools }: Partial<AgentAccess>): AccessFields | null {
  const { is_enabled: agents_enabled, disabled_tools: disabled } = toAgentAccess(current);
  const stored: Required<AccessFields> = { agents_enabled, disabled_tools: disabled };
  const wanted: AccessFields = {
    ...(is_enabled !== undefined && { agents_enabled: is_enabled }),
    ...(disabled_tools !== undefined && { disabled_tools: [...new Set(disabled_tools)] }),
  };
  return changedFields(stored, wanted, fields);
}
