import { logger, pause, Semaphore } from '@webkiln/runtime';
import { claimDue, type DeliveryRecord, saveOutcome } from '../../deliveries/delivery-store.ts';
import { dropDeliveries, skipPending } from '../../deliveries/end-deliveries.ts';
import { bodyOf } from '../../deliveries/event-body-store.ts';
import { type EndpointRecord, endpointById } from '../../endpoints/endpoint-store.ts';
import type { Attempt, AttemptParts } from '../attempts/attempt.ts';
import { ClaimedAttempt } from '../attempts/claimed-attempt.ts';
import { unsendable } from '../attempts/outcome.ts';
import type { EndpointQueue } from '../queue/endpoint-queue.ts';

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
  async claim(queue: EndpointQueue, max: () => number): Promise<readonly Attempt[]> {
    await pause(batchDelayMs);
    return this.#slots.run(async () => {
      const { inFlight } = this.#parts;
      if (inFlight.isDraining) return [];
      const claiming = this.#claim(queue, max());
      inFlight.track(claiming);
      return claiming;
    });
  }

  /** Never rejects: the next poll finds what could not be claimed. */
  async #claim(queue: EndpointQueue, maxClaim: number): Promise<readonly Attempt[]> {
    const capacity = queue.takeClaimCapacity(performance.now(), maxClaim);
    if (capacity === 0) return [];
    try {
      return await this.#attempts(queue, capacity);
    } catch (error) {
      logger.warn({ err: error, webhook_id: queue.endpointId }, 'claiming due deliveries failed; the next poll tries again');
      return [];
    }
  }

  /** Due deliveries of a deleted endpoint are dropped, those of an inactive one skipped. */
  async #attempts(queue: EndpointQueue, max: number): Promise<ClaimedAttempt[]> {
    const { endpointId, org_id } = queue;
    const { settings } = this.#parts;
    const tenant = { org_id };
    const now = Date.now();
    const expiresAt = new Date(now + settings.timeoutMs + settings.leaseMarginMs);
    const deliveries = await claimDue(tenant, endpointId, max, new Date(now), expiresAt);
    if (deliveries.length === 0) return [];
    if (deliveries.length === max) queue.markBacklog();
    const endpoint = await endpointById(tenant, endpointId);
    if (endpoint?.is_active === true) return this.#sendable(endpoint, deliveries);
    if (endpoint === null) await dropDeliveries(tenant, endpointId);
    else await skipPending(tenant, endpointId, new Date().toISOString());
    return [];
  }

  /** The attempts of deliveries whose bodies are kept; the others fail. A failed read leaves no claim in flight. */
  async #sendable(endpoint: EndpointRecord, deliveries: readonly DeliveryRecord[]): Promise<ClaimedAttempt[]> {
    const bodies = await Promise.all(deliveries.map((delivery) => bodyOf(endpoint, delivery)));
    const attempts: ClaimedAttempt[] = [];
    for (const [index, delivery] of deliveries.entries()) {
      const body = bodies[index];
      if (body === undefined) {
        this.#parts.inFlight.track(fail(endpoint, delivery));
      } else {
        this.#parts.inFlight.addClaim(endpoint, delivery._id, delivery.claim ?? '');
        attempts.push(new ClaimedAttempt(this.#parts, endpoint, delivery, body));
      }
    }
    return attempts;
  }
}

/** Ends a delivery that cannot be sent. */
async function fail(endpoint: EndpointRecord, delivery: DeliveryRecord): Promise<void> {
  try {
    await saveOutcome(endpoint, delivery._id, delivery.claim ?? '', unsendable(delivery, new Date()));
  } catch (error) {
    logger.warn({ err: error, event_id: delivery.event_id }, 'failing a delivery without its body failed; its claim expires by itself');
  }
}
