import { type AgentAccess, AppError } from '@webkiln/contract';
import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';

/** A change takes effect after this time at the latest, and the time of a call. */
const maxAgeMs = 1000;
const timeoutMs = 2000;

/** By organization. While identity is away, what it said last holds. */
const known = new LRUCache<string, AgentAccess>({
  max: 10_000,
  ttl: maxAgeMs,
  allowStaleOnFetchRejection: true,
  noDeleteOnFetchRejection: true,
  fetchMethod: async (org_id) => {
    const { agent_access } = await call('accounts.GetAgentAccess', {}, callerFor(servicePrincipal('mcp', org_id), { timeoutMs }));
    return agent_access as AgentAccess;
  },
});

/** What the caller's organization lets agents do. Throws `unavailable` if identity was never reached. */
export async function agentAccess({ principal }: Caller): Promise<AgentAccess> {
  const access = await known.fetch(principal.org_id);
  if (access === undefined) throw new AppError('unavailable');
  return access;
}

/** Throws `agents_off`. */
export async function assertAgentsAllowed(caller: Caller): Promise<AgentAccess> {
  const access = await agentAccess(caller);
  if (!access.is_enabled) throw new AppError('agents_off');
  return access;
}

/** Throws `agents_off` or `tool_off`. */
export async function assertToolAllowed(caller: Caller, tool: string): Promise<void> {
  const { disabled_tools } = await assertAgentsAllowed(caller);
  if (disabled_tools.some((name) => name === tool)) throw new AppError('tool_off');
}
