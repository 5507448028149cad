import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '@webkiln/store';
import { releaseDelivery } from '../deliveries/delivery-store.ts';

interface Claim {
  readonly tenant: Tenant;
  readonly claim: string;
}

/** The claims and attempts of this process that have not ended, and the deliveries it has taken. */
export class UnderWay {
  readonly #work = new Set<Promise<void>>();
  readonly #claims = new Map<string, Claim>();
  #isDraining = false;

  /** From now on nothing more may be claimed: nobody would hand it back. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** A claim or an attempt; it never rejects. */
  add(work: Promise<void>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  /** The delivery stands as taken in the store. */
  claimed({ org_id }: Tenant, deliveryId: string, claim: string): void {
    this.#claims.set(deliveryId, { tenant: { org_id }, claim });
  }

  /** Its outcome is written. */
  settled(deliveryId: string): void {
    this.#claims.delete(deliveryId);
  }

  /** Waits for what is under way, but not longer than told; then hands back what has not ended, so that another process does it at once. */
  async drain(withinMs: number): Promise<void> {
    this.#isDraining = true;
    const timer = new AbortController();
    await Promise.race([Promise.all(this.#work), pause(withinMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    const now = new Date();
    await Promise.all([...this.#claims].map(([deliveryId, { tenant, claim }]) => releaseDelivery(tenant, deliveryId, claim, now)));
  }
}
