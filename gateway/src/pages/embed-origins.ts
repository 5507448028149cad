import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';

const timeoutMs = 2000;
const maxKnown = 1000;
/** A change of an embed client's origins shows after this time. */
const keptMs = 10_000;
const none: readonly string[] = [];
const form = /^emb_[0-9a-f]{32}$/;

/** The origins of embed clients, whose pages may show the builder in a frame. */
export class EmbedOrigins {
  readonly #known = new LRUCache<string, readonly string[]>({ max: maxKnown, ttl: keptMs });

  /** Empty for an unknown embed client, and while identity cannot be reached: then no page may show the builder. */
  async of(embedClientId: unknown): Promise<readonly string[]> {
    if (typeof embedClientId !== 'string' || !form.test(embedClientId)) return none;
    const known = this.#known.get(embedClientId);
    if (known !== undefined) return known;
    try {
      const caller = callerFor(servicePrincipal('gateway', ''), { timeoutMs });
      const { origins } = await call('identity.GetEmbedOrigins', { embed_client_id: embedClientId }, caller);
      this.#known.set(embedClientId, origins);
      return origins;
    } catch (err) {
      logger.warn({ err, embed_client_id: embedClientId }, 'origins of an embed client not read; no page may show its builder');
      return none;
    }
  }
}
