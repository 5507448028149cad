import { AgentSwitches } from '@webkiln/agent-tools';
import { call } from '@webkiln/rpc';

/** What the organizations of this process's callers let agents do. */
export const switches = new AgentSwitches('mcp', (caller) => call('accounts.GetAgentAccess', {}, caller));
