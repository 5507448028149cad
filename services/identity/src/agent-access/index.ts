import { getAgentAccess } from './get-agent-access.ts';
import { updateAgentAccess } from './update-agent-access.ts';

export const agentAccessUseCases = [getAgentAccess, updateAgentAccess];
