import { type AgentAccess, AppError, agentRefusalOf, asksFirst } from '@webkiln/contract';
import { type Caller, serviceCaller } from '@webkiln/messages';
import type { ReplyOf } from '@webkiln/rpc';
import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

/** Together with the time for which the gateway repeats answers: less than the two seconds that owners are promised. */
const maxAgeMs = 900;
/** As for credentials, while changes are heard. */
const maxAgeWithFeedMs = 60_000;
const timeoutMs = 2000;

/** The processes that run tools. */
export type AgentProcess = 'gateway' | 'mcp';

interface Answer {
  readonly access: AgentAccess;
  /** A `performance.now()`: identity may have read it long before the answer arrived. */
  readonly askedAt: number;
}

/** What organizations let agents do, as identity says. While it is away, what it said last holds. */
export class AgentSwitches {
  /** By organization. */
  readonly #known: LRUCache<string, Answer>;
  readonly #feedIsLive: () => boolean;
  /** Answers to earlier questions are asked for again. */
  #validSince = 0;

  /**
   * `process` asks identity, by `ask`, in its own name. While `feedIsLive` it hears of each change of an organization,
   * and then calls `invalidate`.
   */
  constructor(
    process: AgentProcess,
    ask: (caller: Caller) => Promise<Pick<ReplyOf<'accounts.GetAgentAccess'>, 'agent_access'>>,
    feedIsLive = () => false,
  ) {
    this.#feedIsLive = feedIsLive;
    this.#known = new LRUCache<string, Answer>({
      ...growingTo(10_000),
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (org_id) => {
        const askedAt = performance.now();
        const { agent_access } = await ask(serviceCaller(process, org_id, timeoutMs));
        return { access: agent_access as AgentAccess, askedAt };
      },
    });
  }

  /** Asks again about each organization, at its next call. */
  invalidate(): void {
    this.#validSince = performance.now();
  }

  /**
   * What the caller's organization lets agents do: at once if it was asked about lately. Rejects with `unavailable` if
   * identity was never reached.
   */
  of({ principal: { org_id } }: Caller): AgentAccess | Promise<AgentAccess> {
    const known = this.#known.get(org_id);
    return known !== undefined && this.#isFresh(known) ? known.access : this.#ask(org_id);
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
    const answer = await this.#known.fetch(org_id, { forceRefresh: true });
    if (answer === undefined) throw new AppError('unavailable');
    return answer.access;
  }

  #isFresh({ askedAt }: Answer): boolean {
    return askedAt > this.#validSince && performance.now() - askedAt < (this.#feedIsLive() ? maxAgeWithFeedMs : maxAgeMs);
  }
}

function assertAllows(access: AgentAccess, tool: string | undefined): void {
  const refusal = agentRefusalOf(access, tool);
  if (refusal !== undefined) throw new AppError(refusal);
}
