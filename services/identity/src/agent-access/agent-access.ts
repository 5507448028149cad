import { type AgentAccess, changedFields } from '@webkiln/contract';
import type { OrganizationState } from '../organizations/organization.ts';

const fields = ['agents_enabled', 'disabled_tools'] as const;
type AccessFields = Pick<OrganizationState, (typeof fields)[number]>;

/** Organizations of before there were agents have neither field: agents may do everything there. */
const storedAccess = ({ agents_enabled = true, disabled_tools = [] }: AccessFields): Required<AccessFields> => ({
  agents_enabled,
  disabled_tools,
});

export function toAgentAccess(organization: AccessFields): AgentAccess {
  const { agents_enabled: is_enabled, disabled_tools } = storedAccess(organization);
  return { is_enabled, disabled_tools: [...disabled_tools] };
}

/** The fields that change; null if none does. Names that stand twice count once. */
export function changeAgentAccess(current: AccessFields, { is_enabled, disabled_tools }: Partial<AgentAccess>): AccessFields | null {
  const wanted = {
    ...(is_enabled !== undefined && { agents_enabled: is_enabled }),
    ...(disabled_tools !== undefined && { disabled_tools: [...new Set(disabled_tools)] }),
  };
  return changedFields(storedAccess(current), wanted, fields);
}
