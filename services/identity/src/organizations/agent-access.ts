import { type AgentAccess, changedFields } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { audited, orgPolicyEvent, toAgentAccess } from './org-policy.ts';
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
    const { agents_can_build } = change;
    const opened = agents_can_build === undefined ? [] : [audited(caller, agents_can_build ? 'agents.opened' : 'agents.closed', current)];
    // The gateways ask anew about the tokens of the organization.
    const events = [orgPolicyEvent({ ...current, revision: current.revision + 1 }), ...opened];
    const saved = await saveOrganization(caller, current, change, events);
    return { agent_access: toAgentAccess(saved) };
  }),
);

const fields = ['agents_enabled', 'disabled_tools', 'agents_can_build'] as const;
type AccessFields = Pick<OrganizationState, (typeof fields)[number]>;

/** The fields that change; null if none does. Names that stand twice count once. */
function changeAgentAccess(current: AccessFields, { is_enabled, disabled_tools, can_build }: Partial<AgentAccess>): AccessFields | null {
  const { is_enabled: agents_enabled, disabled_tools: disabled, can_build: agents_can_build } = toAgentAccess(current);
  const stored: Required<AccessFields> = { agents_enabled, disabled_tools: disabled, agents_can_build };
  const wanted: AccessFields = {
    ...(is_enabled !== undefined && { agents_enabled: is_enabled }),
    ...(disabled_tools !== undefined && { disabled_tools: [...new Set(disabled_tools)] }),
    ...(can_build !== undefined && { agents_can_build: can_build }),
  };
  return changedFields(stored, wanted, fields);
}
