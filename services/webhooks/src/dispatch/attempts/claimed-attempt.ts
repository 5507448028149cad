import { logger } from '@webkiln/runtime';
import { type DeliveryRecord, releaseDelivery, saveOutcome } from '../../deliveries/delivery-store.ts';
import type { Attempt, AttemptParts } from './attempt.ts';
import { isHeldBack, untilResumed } from './held-back.ts';
import type { Receiver, Sent } from './sender.ts';

/**
 * A later attempt, for a delivery that this process has claimed. If its outcome cannot be written, the claim expires
 * and it is repeated.
 */
export class ClaimedAttempt implements Attempt {
  readonly isClaimed = true;
  readonly url: string;
  readonly #parts: AttemptParts;
  readonly #receiver: Receiver;
  readonly #delivery: DeliveryRecord;
  readonly #body: string;
  readonly #claim: string;
  /** On the monotonic clock. Later than this the claim could expire while the request is in flight. */
  readonly #sendBefore: number;

  constructor(parts: AttemptParts, receiver: Receiver, delivery: DeliveryRecord, body: string) {
    this.#parts = parts;
    this.#receiver = receiver;
    this.url = receiver.url;
    this.#delivery = delivery;
    this.#body = body;
    this.#claim = delivery.claim ?? '';
    this.#sendBefore = performance.now() + parts.settings.leaseMarginMs / 2;
  }

  async send(): Promise<Sent | undefined> {
    const { sender, inFlight } = this.#parts;
    if (await isHeldBack(this.#receiver)) {
      inFlight.track(this.#hold());
      return undefined;
    }
    if (performance.now() < this.#sendBefore) return sender.send(this.#receiver, this.#delivery.event_id, this.#body);
    inFlight.track(this.#release());
    return undefined;
  }

  async save(sent: Sent): Promise<void> {
    const { outcomes, inFlight } = this.#parts;
    const { _id } = this.#delivery;
    await outcomes.record(this.#receiver, this.#delivery, sent, (outcome) =>
      saveOutcome(this.#receiver, _id, this.#claim, outcome).finally(() => inFlight.removeClaim(_id)),
    );
  }

  #release(): Promise<void> {
    return this.#giveUpClaim(() => releaseDelivery(this.#receiver, this.#delivery._id, this.#claim, new Date()));
  }

  #hold(): Promise<void> {
    return this.#giveUpClaim(() => saveOutcome(this.#receiver, this.#delivery._id, this.#claim, untilResumed(this.#delivery)));
  }

  async #giveUpClaim(write: () => Promise<void>): Promise<void> {
    const { _id, event_id } = this.#delivery;
    try {
      await write();
    } catch (error) {
      logger.warn({ err: error, event_id }, 'releasing a claimed delivery failed; its claim expires by itself');
    }
    this.#parts.inFlight.removeClaim(_id);
  }
}
