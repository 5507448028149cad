import { type AgentAccess, AppError, agentRefusalOf } from '@webkiln/contract';
import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { LRUCache } from 'lru-cache';

/** Together with the time for which the gateway repeats answers: less than the two seconds that owners are promised. */
const maxAgeMs = 900;
const timeoutMs = 2000;

/** By organization. While identity is away, what it said last holds. */
const known = new LRUCache<string, AgentAccess>({
  max: 10_000,
  ttl: maxAgeMs,
  noDeleteOnStaleGet: true,
  allowStaleOnFetchRejection: true,
  noDeleteOnFetchRejection: true,
  fetchMethod: async (org_id, _stale, { options }) => {
    const askedAt = performance.now();
    const { agent_access } = await call('accounts.GetAgentAccess', {}, callerFor(servicePrincipal('mcp', org_id), { timeoutMs }));
    // Its age counts from the question: identity may have read it long before the answer arrived.
    options.ttl = Math.max(1, maxAgeMs - (performance.now() - askedAt));
    return agent_access as AgentAccess;
  },
});

/**
 * What the caller's organization lets agents do: at once if it was asked about in the last second. Rejects with
 * `unavailable` if identity was never reached.
 */
export const agentAccess = ({ principal: { org_id } }: Caller): AgentAccess | Promise<AgentAccess> => known.get(org_id) ?? ask(org_id);

async function ask(org_id: string): Promise<AgentAccess> {
  const access = await known.fetch(org_id);
  if (access === undefined) throw new AppError('unavailable');
  return access;
}

/** Throws `agents_off`, or `tool_off` for a tool: at once, if the switches are known. */
export function assertAgentsAllowed(caller: Caller, tool?: string): void | Promise<void> {
  const access = agentAccess(caller);
  return access instanceof Promise ? access.then((known) => assertAllows(known, tool)) : assertAllows(access, tool);
}

function assertAllows(access: AgentAccess, tool: string | undefined): void {
  const refusal = agentRefusalOf(access, tool);
  if (refusal !== undefined) throw new AppError(refusal);
}
