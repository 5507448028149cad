import { type AgentAccess, AppError, agentRefusalOf, asksFirst } from '@webkiln/contract';
import { type Caller, serviceCaller } from '@webkiln/messages';
import type { ReplyOf } from '@webkiln/rpc';
import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

/** Together with the time for which the gateway repeats answers: less than the two seconds that owners are promised. */
const maxAgeMs = 900;
const timeoutMs = 2000;

/** The processes that run tools. */
export type AgentProcess = 'gateway' | 'mcp';

/** What organizations let agents do, as identity says. While it is away, what it said last holds. */
export class AgentSwitches {
  /** By organization. */
  readonly #known: LRUCache<string, AgentAccess>;

  /** `process` asks identity, by `ask`, in its own name. */
  constructor(process: AgentProcess, ask: (caller: Caller) => Promise<Pick<ReplyOf<'accounts.GetAgentAccess'>, 'agent_access'>>) {
    this.#known = new LRUCache<string, AgentAccess>({
      ...growingTo(10_000),
      ttl: maxAgeMs,
      noDeleteOnStaleGet: true,
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (org_id, _stale, { options }) => {
        const askedAt = performance.now();
        const { agent_access } = await ask(serviceCaller(process, org_id, timeoutMs));
        // Its age counts from the question: identity may have read it long before the answer arrived.
        options.ttl = Math.max(1, maxAgeMs - (performance.now() - askedAt));
        return agent_access as AgentAccess;
      },
    });
  }

  /**
   * What the caller's organization lets agents do: at once if it was asked about in the last second. Rejects with
   * `unavailable` if identity was never reached.
   */
  of({ principal: { org_id } }: Caller): AgentAccess | Promise<AgentAccess> {
    return this.#known.get(org_id) ?? this.#ask(org_id);
  }

  /** Throws `agents_off`, or `tool_off` for a tool: at once, if the switches are known. */
  assertAllowed(caller: Caller, tool?: string): void | Promise<void> {
    const access = this.of(caller);
    return access instanceof Promise ? access.then((known) => assertAllows(known, tool)) : assertAllows(access, tool);
  }

  /** True if agents ask before each call of the tool. While nobody knows, the call itself is refused. */
  asksFirst(caller: Caller, tool: string): boolean | Promise<boolean> {
    const access = this.of(caller);
    if (!(access instanceof Promise)) return asksFirst(access, tool);
    return access.then(
      (known) => asksFirst(known, tool),
      () => false,
    );
  }

  async #ask(org_id: string): Promise<AgentAccess> {
    const access = await this.#known.fetch(org_id);
    if (access === undefined) throw new AppError('unavailable');
    return access;
  }
}

function assertAllows(access: AgentAccess, tool: string | undefined): void {
  const refusal = agentRefusalOf(access, tool);
  if (refusal !== undefined) throw new AppError(refusal);
}
