import { randomUUID } from 'node:crypto';
import { logger, pause, Semaphore } from '@webkiln/runtime';
import type { Tenant } from '@webkiln/store';
import { claimDue, type DeliveryRecord, dropDeliveries, dueDeliveries, saveOutcome, skipPending } from '../deliveries/delivery-store.ts';

import { bodyOf } from '../deliveries/event-body-store.ts';
import { endpointById } from '../endpoints/endpoint-store.ts';
import type { AttemptParts, QueuedAttempt } from './attempts.ts';
import { ClaimedAttempt } from './attempts.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import type { Claim } from './in-flight.ts';
import { unsendable } from './outcome.ts';

/** Slots that become free at nearly the same time are filled by one claim. */
const batchDelayMs = 5;
const concurrency = 8;

/** Claims due deliveries, one endpoint after another: as many of each as its queue can begin soon. */
export class DueClaims {
  readonly #parts: AttemptParts;
  readonly #slots = new Semaphore({ permits: concurrency });

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /**
   * Waits for the queue's turn; resolves to at most `max` claimed deliveries, to none while the dispatcher drains.
   */
  async claim(queue: EndpointQueue, max: () => number): Promise<readonly QueuedAttempt[]> {
    await pause(batchDelayMs);
    return this.#slots.run(async () => {
      const { inFlight } = this.#parts;
      if (inFlight.isDraining) return [];
      const claiming = this.#claim(queue, max());
      inFlight.trackClaiming(claiming);
      return claiming;
    });
  }

  /** Never rejects: the next poll finds what could not be claimed. */
  async #claim(queue: EndpointQueue, maxClaim: number): Promise<readonly QueuedAttempt[]> {
    const capacity = queue.takeClaimCapacity(performance.now(), maxClaim);
    if (capacity === 0) return [];
    try {
      return await this.#attempts(queue, capacity);
    } catch (error) {
      logger.warn({ err: error, webhook_id: queue.endpointId }, 'claiming due deliveries failed; the next poll tries again');
      return [];
    }
  }

  /** Until an attempt owns a claim, it is released if anything fails: even if only the answer to the claim was lost. */
  async #attempts(queue: EndpointQueue, max: number): Promise<ClaimedAttempt[]> {
    const { endpointId, org_id } = queue;
    const { settings, inFlight } = this.#parts;
    const tenant = { org_id };
    const now = new Date();
    const expiresAt = now.getTime() + settings.timeoutMs + settings.leaseMarginMs;
    const ids = await dueDeliveries(tenant, endpointId, max, now);
    if (ids.length === 0) return [];
    const claim = randomUUID();
    const claims = new Map<string, Claim>(ids.map((deliveryId) => [deliveryId, { tenant, deliveryId, claim, expiresAt }]));
    for (const each of claims.values()) inFlight.addClaim(each);
    try {
      const deliveries = await claimDue(tenant, ids, claim, now, new Date(expiresAt));
      if (deliveries.length === max) queue.markBacklog();
      const attempts = await this.#sendable(tenant, endpointId, deliveries, claims);
      for (const each of claims.values()) inFlight.removeClaim(each);
      return attempts;
    } catch (error) {
      for (const each of claims.values()) inFlight.track(inFlight.releaseClaim(each));
      throw error;
    }
  }

  /**
   * The attempts of deliveries whose bodies are kept, which take their claims; the others fail. Deliveries of a deleted
   * endpoint are dropped, those of an inactive one skipped.
   */
  async #sendable(
    tenant: Tenant,
    endpointId: string,
    deliveries: readonly DeliveryRecord[],
    claims: Map<string, Claim>,
  ): Promise<ClaimedAttempt[]> {
    if (deliveries.length === 0) return [];
    const endpoint = await endpointById(tenant, endpointId);
    if (endpoint === null) await dropDeliveries(tenant, endpointId);
    else if (!endpoint.is_active) await skipPending(tenant, endpointId, new Date().toISOString());
    if (endpoint?.is_active !== true) return [];
    const bodies = await Promise.all(deliveries.map((delivery) => bodyOf(endpoint, delivery)));
    const attempts: ClaimedAttempt[] = [];
    for (const [index, delivery] of deliveries.entries()) {
      const [body, claim] = [bodies[index], claims.get(delivery._id)];
      if (claim === undefined) continue;
      claims.delete(delivery._id);
      if (body === undefined) this.#parts.inFlight.track(this.#fail(delivery, claim));
      else attempts.push(new ClaimedAttempt(this.#parts, endpoint, delivery, body, claim));
    }
    return attempts;
  }

  /** Ends a delivery that cannot be sent. */
  async #fail(delivery: DeliveryRecord, claim: Claim): Promise<void> {
    const outcome = unsendable(delivery, new Date());
    try {
      await this.#parts.inFlight.endClaim(claim, () => saveOutcome(claim.tenant, delivery._id, claim.claim, outcome));
    } catch (error) {
      logger.warn(
        { err: error, event_id: delivery.event_id },
        'could not mark a delivery without a body as failed; retrying when its claim expires',
      );
    }
  }
}
