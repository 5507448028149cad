import { type AgentAccess, changedFields } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { audited, orgPolicyEvent, toAgentAccess } from './org-policy.ts';
import { type AgentField, agentFields, type OrganizationState } from './organization.ts';
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
    const { agents_can_build, agents_should_ask, ask_first_tools } = change;
    const acts = [
      ...(agents_can_build === undefined ? [] : [audited(caller, agents_can_build ? 'agents.opened' : 'agents.closed', current)]),
      ...(agents_should_ask === undefined ? [] : [audited(caller, agents_should_ask ? 'agents.asking' : 'agents.unasked', current)]),
      ...(ask_first_tools === undefined ? [] : [audited(caller, 'agents.always_asked', current)]),
    ];
    // The gateways ask anew about the tokens of the organization.
    const events = [orgPolicyEvent({ ...current, revision: current.revision + 1 }), ...acts];
    const saved = await saveOrganization(caller, current, change, events);
    return { agent_access: toAgentAccess(saved) };
  }),
);

type AccessFields = Pick<OrganizationState, AgentField>;

/** The fields that change; null if none does. Names that stand twice count once. */
function changeAgentAccess(current: AccessFields, wanted: Partial<AgentAccess>): AccessFields | null {
  const stored = storedFields(toAgentAccess(current));
  return changedFields(stored, storedFields({ ...toAgentAccess(current), ...wanted }), agentFields);
}

const storedFields = ({
  is_enabled,
  disabled_tools,
  can_build,
  should_ask_first,
  ask_first_tools,
}: AgentAccess): Required<AccessFields> => ({
  agents_enabled: is_enabled,
  disabled_tools: [...new Set(disabled_tools)],
  agents_can_build: can_build,
  agents_should_ask: should_ask_first,
  ask_first_tools: [...new Set(ask_first_tools)],
});
