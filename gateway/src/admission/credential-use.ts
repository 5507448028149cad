import { type Caller, callerFor, type Principal, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { growingTo, logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Credential } from './credential-cache.ts';

const flushIntervalMs = 5000;
const batchSize = 1000;
/** A last use is exact to a minute, which saves a write per request of a busy credential. */
const reportIntervalMs = 60_000;

interface Use {
  readonly kind: Principal['kind'];
  readonly id: string;
  readonly org_id: string;
  readonly last_used_at: string;
}

/** How identity is told of the last uses of each kind of credential. Sessions have none. */
const reports: { readonly [K in Principal['kind']]?: (uses: readonly Use[], caller: Caller) => Promise<unknown> } = {
  api_key: (uses, caller) =>
    call('identity.RecordKeyUse', { uses: uses.map(({ id: key_id, org_id, last_used_at }) => ({ key_id, org_id, last_used_at })) }, caller),
  oauth_token: (uses, caller) =>
    call('identity.RecordOauthUse', { uses: uses.map(({ id: grant_id, last_used_at }) => ({ grant_id, last_used_at })) }, caller),
};

/** Reports the last use of each API key and OAuth authorization to identity every 5 s, up to 1,000 in a call. */
export class CredentialUse {
  readonly #reported = new LRUCache<string, true>({ ...growingTo(50_000), ttl: reportIntervalMs });
  #uses: Use[] = [];
  readonly #timer = setInterval(() => void this.flush(), flushIntervalMs).unref();

  record({ principal: { kind, credential_id: id, org_id } }: Credential): void {
    if (reports[kind] === undefined || this.#reported.has(id)) return;
    this.#reported.set(id, true);
    this.#uses.push({ kind, id, org_id, last_used_at: new Date().toISOString() });
  }

  async flush(): Promise<void> {
    const uses = this.#uses;
    this.#uses = [];
    for (const [kind, report] of Object.entries(reports)) {
      const ofKind = uses.filter((use) => use.kind === kind);
      for (let start = 0; start < ofKind.length; start += batchSize) await this.#send(report, ofKind.slice(start, start + batchSize));
    }
  }

  async #send(report: (uses: readonly Use[], caller: Caller) => Promise<unknown>, uses: readonly Use[]): Promise<void> {
    try {
      await report(uses, callerFor(servicePrincipal('gateway', ''), { timeoutMs: flushIntervalMs }));
    } catch (error) {
      for (const { id } of uses) this.#reported.delete(id);
      logger.warn(
        { err: error, credentials: uses.length },
        'last use of credentials not recorded; it is reported again at their next request',
      );
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
