import { type AgentAccess, changedFields } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import type { OrganizationState } from './organization.ts';
import { saveOrganization } from './organization-store.ts';

/** For members, and for mcp, which enforces it. */
export const getAgentAccess = handle('accounts.GetAgentAccess', async (_request, caller) => ({
  agent_access: toAgentAccess(await currentOrganization(caller)),
}));

export const updateAgentAccess = handle('accounts.UpdateAgentAccess', (request, caller) =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    const change = changeAgentAccess(current, maskedFields<AgentAccess>(request));
    return { agent_access: toAgentAccess(change === null ? current : await saveOrganization(caller, current, change)) };
  }),
);

const fields = ['agents_enabled', 'disabled_tools'] as const;
type AccessFields = Pick<OrganizationState, (typeof fields)[number]>;

/** Organizations of before there were agents have neither field: agents may do everything there. */
const storedAccess = ({ agents_enabled = true, disabled_tools = [] }: AccessFields): Required<AccessFields> => ({
  agents_enabled,
  disabled_tools,
});

function toAgentAccess(organization: AccessFields): AgentAccess {
  const { agents_enabled: is_enabled, disabled_tools } = storedAccess(organization);
  return { is_enabled, disabled_tools: [...disabled_tools] };
}

/** The fields that change; null if none does. Names that stand twice count once. */
function changeAgentAccess(current: AccessFields, { is_enabled, disabled_tools }: Partial<AgentAccess>): AccessFields | null {
  const wanted = {
    ...(is_enabled !== undefined && { agents_enabled: is_enabled }),
    ...(disabled_tools !== undefined && { disabled_tools: [...new Set(disabled_tools)] }),
  };
  return changedFields(storedAccess(current), wanted, fields);
}
