import { type Caller, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { AgentProcess, AgentSwitches } from './agent-switches.ts';
import type { PreparedTool } from './agent-tool.ts';

/** A read is noted this seldom; identity waits so much longer. */
const notedMs = 60_000;
const timeoutMs = 3000;

/** The connection of an agent, by which identity keeps what it read and asked. */
export const connectionOf = ({ principal: { credential_id, kind, agent, account_id = '' } }: Caller) => ({
  ...{ credential_id, credential: kind === 'api_key' ? 'key' : 'oauth', agent: agent ?? 'API key', account_id },
});

interface Read {
  readonly tool: string;
  readonly caller: Caller;
}

/** Notes which connections were told what others wrote, where an owner has agents ask before they write after that. */
export class AgentReads {
  readonly #switches: AgentSwitches;
  readonly #noted: LRUCache<string, true, Read>;
  readonly #tools = new WeakMap<PreparedTool, PreparedTool>();

  /** `process` tells identity in its own name. */
  constructor(process: AgentProcess, switches: AgentSwitches) {
    this.#switches = switches;
    this.#noted = new LRUCache<string, true, Read>({
      ...growingTo(10_000),
      ttl: notedMs,
      fetchMethod: async (_key, _stale, { context: { tool, caller } }): Promise<true> => {
        const { org_id } = caller.principal;
        const own = serviceCaller(process, org_id, timeoutMs);
        await call('identity.MarkAgentRead', { connection: connectionOf(caller), tool }, own);
        return true;
      },
    });
  }

  /** Once it resolves, every process knows: the text may be told. */
  async note(tool: string, caller: Caller): Promise<void> {
    const access = this.#switches.of(caller);
    const { can_build, should_ask_first } = access instanceof Promise ? await access : access;
    if (!can_build || !should_ask_first) return;
    const { org_id, credential_id } = caller.principal;
    const key = `${org_id} ${credential_id}`;
    if (!this.#noted.has(key)) await this.#noted.fetch(key, { context: { tool, caller } });
  }

  /** The tool, which notes what it tells before it answers. */
  noting(tool: PreparedTool): PreparedTool {
    if (!tool.tellsOfStrangers) return tool;
    let found = this.#tools.get(tool);
    if (found === undefined) {
      const run: PreparedTool['run'] = async (given, caller) => {
        const json = await tool.run(given, caller);
        await this.note(tool.name, caller);
        return json;
      };
      found = { ...tool, run };
      this.#tools.set(tool, found);
    }
    return found;
  }
}
