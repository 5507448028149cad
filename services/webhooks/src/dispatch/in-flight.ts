import { logger, pause, retry } from '@webkiln/runtime';
import type { Tenant } from '@webkiln/store';
import { expireClaim, releaseDelivery } from '../deliveries/delivery-store.ts';

const minRetryMs = 250;
const maxRetryMs = 10_000;

/** A delivery's claim by this process. */
export interface Claim {
  readonly tenant: Tenant;
  readonly deliveryId: string;
  readonly claim: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Settles once the delivery is stored, if that was not done before the claim was added. */
  readonly stored?: Promise<unknown>;
}

/** Times of a stop, each from its begin in milliseconds. */
interface Stop {
  /** How long the work may take to end. */
  readonly workMs: number;
  /** Until when claims are released. */
  readonly releaseMs: number;
  /** When the process has ended, whatever happens. */
  readonly endMs: number;
}

/**
 * This process's attempts and claim queries that have not ended, and the deliveries that it has claimed in the store.
 */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>();
  readonly #claiming = new Set<Promise<unknown>>();
  readonly #claims = new Set<Claim>();
  #isDraining = false;
  #isReleasing = false;

  /** True once nothing more may be claimed. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Adds work that never rejects; it removes itself when it ends. */
  track(work: Promise<unknown>): void {
    addUntilItEnds(this.#work, work);
  }

  /** The same for a query that claims deliveries. */
  trackClaiming(claiming: Promise<unknown>): void {
    addUntilItEnds(this.#claiming, claiming);
  }

  addClaim(claim: Claim): void {
    this.#claims.add(claim);
    if (this.#isReleasing) addUntilItEnds(this.#claiming, this.releaseClaim(claim));
  }

  /** The claim was not made after all. */
  removeClaim(claim: Claim): void {
    this.#claims.delete(claim);
  }

  /**
   * Makes the write that ends the claim, again and again until it succeeds, the claim has expired or is released.
   * Rejects with the last error.
   */
  async endClaim(claim: Claim, write: () => Promise<void>): Promise<void> {
    try {
      await claim.stored?.catch(() => undefined);
      await retry(write, {
        isRetryable: () => this.#claims.has(claim),
        delayMs: (failedAttempts) => Math.min(minRetryMs * 2 ** (failedAttempts - 1), maxRetryMs),
        deadlineAt: claim.expiresAt,
      });
    } finally {
      this.#claims.delete(claim);
    }
  }

  /** Makes the delivery due at once. Never rejects. */
  async releaseClaim(claim: Claim): Promise<void> {
    const { tenant, deliveryId } = claim;
    try {
      await this.endClaim(claim, () => releaseDelivery(tenant, deliveryId, claim.claim, new Date()));
    } catch (error) {
      logger.warn({ err: error, delivery_id: deliveryId }, 'releasing a claimed delivery failed; its claim expires by itself');
    }
  }

  /**
   * Waits for the work to end, then releases the claims that are left, so that another process takes them over at once.
   * The claims of a process that is killed meanwhile expire with it. Never rejects.
   */
  async drain({ workMs, releaseMs, endMs }: Stop): Promise<void> {
    this.#isDraining = true;
    const startedAt = Date.now();
    for (const claim of this.#claims) addUntilItEnds(this.#claiming, this.#shorten(claim, startedAt + endMs));
    await endOf([this.#work, this.#claiming], startedAt + workMs);
    this.#isReleasing = true;
    for (const claim of this.#claims) addUntilItEnds(this.#claiming, this.releaseClaim(claim));
    await endOf([this.#claiming], startedAt + releaseMs);
    if (this.#claims.size > 0)
      logger.warn({ claims: this.#claims.size }, 'claimed deliveries not released; their claims expire by themselves');
    this.#claims.clear();
  }

  async #shorten(claim: Claim, until: number): Promise<void> {
    const { tenant, deliveryId, expiresAt } = claim;
    await claim.stored?.catch(() => undefined);
    if (until >= expiresAt || !this.#claims.has(claim)) return;
    await expireClaim(tenant, deliveryId, claim.claim, new Date(until)).catch(() => undefined);
  }
}

function addUntilItEnds(all: Set<Promise<unknown>>, work: Promise<unknown>): void {
  all.add(work);
  void work.then(() => all.delete(work));
}

/** Waits until the sets are empty, but not longer than `deadlineAt` (epoch milliseconds). */
async function endOf(sets: readonly Set<Promise<unknown>>[], deadlineAt: number): Promise<void> {
  const timer = new AbortController();
  const timeout = pause(deadlineAt - Date.now(), timer.signal).then(() => timer.abort());
  while (!timer.signal.aborted && sets.some(({ size }) => size > 0)) {
    await Promise.race([Promise.all(sets.flatMap((all) => [...all])), timeout]);
  }
  timer.abort();
}
