import { handle } from '@webkiln/rpc';
import { currentOrganization } from '../authorize.ts';
import { toAgentAccess } from './agent-access.ts';

/** For members, and for mcp, which enforces it. */
export const getAgentAccess = handle('accounts.GetAgentAccess', async (_request, caller) => ({
  agent_access: toAgentAccess(await currentOrganization(caller)),
}));
