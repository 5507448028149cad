import { call, callerFor, servicePrincipal } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { Verdict } from './verdicts.ts';

const flushEveryMs = 5000;
const batchSize = 1000;
/** A key's last use is known to the minute: a busy key is not written about more often. */
const againAfterMs = 60_000;

/** Remembers when each key was last used and tells identity every few seconds: one message for thousands of requests. */
export class KeyUse {
  readonly #told = new LRUCache<string, true>({ max: 50_000, ttl: againAfterMs });
  #uses = new Map<string, { org_id: string; at: number }>();
  readonly #timer = setInterval(() => void this.flush(), flushEveryMs).unref();

  record({ principal }: Verdict): void {
    const keyId = principal.credential_id;
    if (this.#told.has(keyId)) return;
    this.#told.set(keyId, true);
    this.#uses.set(keyId, { org_id: principal.org_id, at: Date.now() });
  }

  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([key_id, { org_id, at }]) => ({ key_id, org_id, last_used_at: new Date(at).toISOString() }));
    this.#uses = new Map();
    for (let start = 0; start < uses.length; start += batchSize) {
      const batch = uses.slice(start, start + batchSize);
      try {
        await call('identity.RecordKeyUse', { uses: batch }, callerFor(servicePrincipal('gateway', ''), { timeoutMs: flushEveryMs }));
      } catch (error) {
        for (const { key_id } of batch) this.#told.delete(key_id);
        logger.warn({ err: error, keys: batch.length }, 'the last use of some keys was not recorded');
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
