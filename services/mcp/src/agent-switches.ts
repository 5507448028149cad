import { AgentReads, AgentSwitches } from '@webkiln/agent-tools';
import { call } from '@webkiln/rpc';

/** What the organizations of this process's callers let agents do. */
export const switches = new AgentSwitches('mcp', (caller) => call('accounts.GetAgentAccess', {}, caller));
/** What their agents were told here of what others wrote. */
export const reads = new AgentReads('mcp', switches);
