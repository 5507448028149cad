import { pause } from '@webkiln/runtime';
import type { Tenant } from '@webkiln/store';
import { releaseDelivery } from '../../deliveries/delivery-store.ts';

interface Claim {
  readonly tenant: Tenant;
  readonly claim: string;
}

/**
 * This process's attempts and claim queries that have not ended, and the deliveries that it has claimed in the store.
 */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>();
  readonly #claims = new Map<string, Claim>();
  #isDraining = false;

  /** True once nothing more may be claimed, because it would not be released. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Adds work that never rejects; it removes itself when it ends. */
  track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  addClaim({ org_id }: Tenant, deliveryId: string, claim: string): void {
    this.#claims.set(deliveryId, { tenant: { org_id }, claim });
  }

  removeClaim(deliveryId: string): void {
    this.#claims.delete(deliveryId);
  }

  /**
   * Waits up to `timeoutMs` for the work to end, then releases the claims that are left, so that another process takes
   * them over at once.
   */
  async drain(timeoutMs: number): Promise<void> {
    this.#isDraining = true;
    const timer = new AbortController();
    await Promise.race([Promise.all(this.#work), pause(timeoutMs, timer.signal)]);
    timer.abort();
    const now = new Date();
    await Promise.all([...this.#claims].map(([deliveryId, { tenant, claim }]) => releaseDelivery(tenant, deliveryId, claim, now)));
  }
}
