import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '@webkiln/store';
import { releaseDelivery } from '../deliveries/delivery-store.ts';

interface Claim {
  readonly tenant: Tenant;
  readonly claim: string;
}

/** The attempts of this process that have not ended, and the deliveries it has taken for them. */
export class UnderWay {
  readonly #attempts = new Set<Promise<void>>();
  readonly #claims = new Map<string, Claim>();

  /** `attempt` never rejects. */
  add(attempt: Promise<void>): void {
    this.#attempts.add(attempt);
    void attempt.then(() => this.#attempts.delete(attempt));
  }

  /** The delivery stands as taken in the store. */
  claimed({ org_id }: Tenant, deliveryId: string, claim: string): void {
    this.#claims.set(deliveryId, { tenant: { org_id }, claim });
  }

  /** Its outcome is written. */
  settled(deliveryId: string): void {
    this.#claims.delete(deliveryId);
  }

  /** Waits for the attempts, but not longer than told; then hands back what has not ended, so that another process does it at once. */
  async drain(withinMs: number): Promise<void> {
    const timer = new AbortController();
    await Promise.race([Promise.all(this.#attempts), pause(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    const now = new Date();
    await Promise.all([...this.#claims].map(([deliveryId, { tenant, claim }]) => releaseDelivery(tenant, deliveryId, claim, now)));
  }
}
