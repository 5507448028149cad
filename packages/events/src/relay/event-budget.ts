import { counter, logger } from '@webkiln/runtime';

const minuteMs = 60_000;
/** The share of a minute's events that may go at once: bursts of one organization fill the processors of all. */
const burstShare = 1 / 30;
const burst = (perMinute: number) => (perMinute === 0 ? 0 : Math.max(1, Math.ceil(perMinute * burstShare)));

const pacedTotal = counter({
  name: 'webkiln_events_paced_total',
  help: 'Times that a record waited because its organization had raised its events of the minute',
});

/** How many public events of an organization this process publishes a minute. */
export type EventsPerMinute = (org_id: string) => Promise<number>;

interface Bucket {
  perMinute: number;
  tokens: number;
  /** Epoch milliseconds. */
  at: number;
  loggedAt: number;
}

/**
 * The public events that this process publishes of each organization: its limit a minute on average, those of two
 * seconds at once. What an organization raises beyond that waits in its outboxes, so others' events come first.
 */
export class EventBudget {
  readonly #limitOf: EventsPerMinute;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limitOf: EventsPerMinute) {
    this.#limitOf = limitOf;
  }

  /** Takes one event; false if the organization has none left now. */
  async take(org_id: string): Promise<boolean> {
    const perMinute = await this.#limitOf(org_id);
    const bucket = this.#buckets.get(org_id) ?? { perMinute, tokens: burst(perMinute), at: Date.now(), loggedAt: Number.NEGATIVE_INFINITY };
    this.#buckets.set(org_id, bucket);
    fill(bucket, perMinute);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return true;
    }
    pacedTotal.inc();
    if (bucket.at - bucket.loggedAt >= minuteMs) {
      bucket.loggedAt = bucket.at;
      logger.info({ org_id, perMinute }, 'an organization raises more events than its share; the rest follows in order');
    }
    return false;
  }

  /** Gives back what was taken for an event that was not published. */
  giveBack(org_id: string): void {
    const bucket = this.#buckets.get(org_id);
    if (bucket !== undefined) bucket.tokens += 1;
  }

  /** Forgets the organizations that have all of their events, so that memory does not grow. */
  forgetFull(): void {
    for (const [org_id, bucket] of this.#buckets) {
      fill(bucket, bucket.perMinute);
      if (bucket.tokens >= Math.max(1, burst(bucket.perMinute))) this.#buckets.delete(org_id);
    }
  }

  get size(): number {
    return this.#buckets.size;
  }
}

/** Adds what has flowed in. A limit that was raised lets as many more events go at once. */
function fill(bucket: Bucket, perMinute: number): void {
  const now = Date.now();
  // The clock may be set back; then nothing is added.
  const elapsedMs = Math.max(0, now - bucket.at);
  const raisedBy = Math.max(0, burst(perMinute) - burst(bucket.perMinute));
  bucket.tokens = Math.min(burst(perMinute), bucket.tokens + raisedBy + (elapsedMs * bucket.perMinute) / minuteMs);
  bucket.perMinute = perMinute;
  bucket.at = now;
}
