import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type { ActiveCredential } from './recent-credentials.ts';

const flushIntervalMs = 5000;
const batchSize = 1000;
/** A key's last use is exact to a minute, which saves a write per request of a busy key. */
const reportIntervalMs = 60_000;

/** Reports the last use of each key to identity every 5 s, up to 1,000 keys in a call. */
export class KeyUse {
  readonly #reported = new LRUCache<string, true>({ max: 50_000, ttl: reportIntervalMs });
  #uses = new Map<string, { org_id: string; at: number }>();
  readonly #timer = setInterval(() => void this.flush(), flushIntervalMs).unref();

  record({ principal }: ActiveCredential): void {
    const keyId = principal.credential_id;
    if (this.#reported.has(keyId)) return;
    this.#reported.set(keyId, true);
    this.#uses.set(keyId, { org_id: principal.org_id, at: Date.now() });
  }

  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([key_id, { org_id, at }]) => ({ key_id, org_id, last_used_at: new Date(at).toISOString() }));
    this.#uses = new Map();
    for (let start = 0; start < uses.length; start += batchSize) {
      const batch = uses.slice(start, start + batchSize);
      try {
        await call('identity.RecordKeyUse', { uses: batch }, callerFor(servicePrincipal('gateway', ''), { timeoutMs: flushIntervalMs }));
      } catch (error) {
        for (const { key_id } of batch) this.#reported.delete(key_id);
        logger.warn({ err: error, keys: batch.length }, 'last use of keys not recorded; it is reported again at their next request');
      }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
