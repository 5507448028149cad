import { logger } from '@webkiln/runtime';
import { type DeliveryRecord, saveOutcome } from '../../deliveries/delivery-store.ts';
import type { Attempt, AttemptParts } from './attempt.ts';
import { isHeldBack, untilResumed } from './held-back.ts';
import type { Claim } from './in-flight.ts';
import type { Outcome } from './outcome.ts';
import type { Receiver, Sent } from './sender.ts';

/**
 * A later attempt, for a delivery that this process has claimed. If its outcome cannot be written until the claim
 * expires, it is repeated.
 */
export class ClaimedAttempt implements Attempt {
  readonly isClaimed = true;
  readonly url: string;
  readonly #parts: AttemptParts;
  readonly #receiver: Receiver;
  readonly #delivery: DeliveryRecord;
  readonly #body: string;
  readonly #claim: Claim;
  /** On the monotonic clock. Later than this the claim could expire while the request is in flight. */
  readonly #sendBefore: number;

  constructor(parts: AttemptParts, receiver: Receiver, delivery: DeliveryRecord, body: string, claim: Claim) {
    this.#parts = parts;
    this.#receiver = receiver;
    this.url = receiver.url;
    this.#delivery = delivery;
    this.#body = body;
    this.#claim = claim;
    this.#sendBefore = performance.now() + parts.settings.leaseMarginMs / 2;
  }

  async send(): Promise<Sent | undefined> {
    const { sender, inFlight } = this.#parts;
    if (await isHeldBack(this.#receiver)) {
      inFlight.track(this.#hold());
      return undefined;
    }
    if (performance.now() < this.#sendBefore) return sender.send(this.#receiver, this.#delivery.event_id, this.#body);
    inFlight.track(inFlight.releaseClaim(this.#claim));
    return undefined;
  }

  async save(sent: Sent): Promise<void> {
    await this.#parts.outcomes.record(this.#receiver, this.#delivery, sent, (outcome) => this.#write(outcome));
  }

  async #hold(): Promise<void> {
    try {
      await this.#write(untilResumed(this.#delivery));
    } catch (error) {
      const { event_id } = this.#delivery;
      logger.warn({ err: error, event_id }, 'releasing a claimed delivery failed; its claim expires by itself');
    }
  }

  #write(outcome: Outcome): Promise<void> {
    const { tenant, deliveryId, claim } = this.#claim;
    return this.#parts.inFlight.endClaim(this.#claim, () => saveOutcome(tenant, deliveryId, claim, outcome));
  }
}
