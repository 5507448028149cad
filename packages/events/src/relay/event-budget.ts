import { counter, logger } from '@webkiln/runtime';

const minuteMs = 60_000;

const pacedTotal = counter({
  name: 'webkiln_events_paced_total',
  help: 'Times that a record waited because its organization had raised its events of the minute',
});

interface Bucket {
  tokens: number;
  /** Epoch milliseconds. */
  at: number;
  loggedAt: number;
}

/**
 * How many public events of an organization this process publishes: `perMinute` on average, as many at once. What an
 * organization raises beyond that waits in its outboxes, so others' events come first.
 */
export class EventBudget {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Takes one event; false if the organization has none left now. */
  take(org_id: string): boolean {
    const bucket = this.#filled(org_id, Date.now());
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    pacedTotal.inc();
    if (bucket.at - bucket.loggedAt >= minuteMs) {
      bucket.loggedAt = bucket.at;
      logger.info({ org_id, perMinute: this.#perMinute }, 'an organization raises more events than its share; the rest follows in order');
    }
    return false;
  }

  /** Gives back what was taken for an event that was not published. */
  giveBack(org_id: string): void {
    this.#filled(org_id, Date.now()).tokens += 1;
  }

  /** Forgets the organizations that have all of their events, so that memory does not grow. */
  forgetFull(): void {
    const now = Date.now();
    for (const org_id of this.#buckets.keys()) {
      if (this.#filled(org_id, now).tokens >= this.#perMinute) this.#buckets.delete(org_id);
    }
  }

  get size(): number {
    return this.#buckets.size;
  }

  #filled(org_id: string, now: number): Bucket {
    const bucket = this.#buckets.get(org_id) ?? { tokens: this.#perMinute, at: now, loggedAt: Number.NEGATIVE_INFINITY };
    this.#buckets.set(org_id, bucket);
    // The clock may be set back; then nothing is added.
    const elapsedMs = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + (elapsedMs * this.#perMinute) / minuteMs);
    bucket.at = now;
    return bucket;
  }
}
