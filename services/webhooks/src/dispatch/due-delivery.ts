import { logger } from '@webkiln/runtime';
import { type DeliveryRecord, releaseDelivery, saveOutcome } from '../deliveries/delivery-store.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { Job, Slot } from './lane.ts';
import { outcomeOf } from './outcomes.ts';
import type { Receiver } from './sender.ts';

/** A later attempt, for a delivery that this process has claimed. Where its outcome cannot be written the claim runs out, and it is made again. */
export class DueDelivery implements Job {
  readonly #parts: DispatchParts;
  readonly #receiver: Receiver;
  readonly #delivery: DeliveryRecord;
  readonly #claim: string;
  readonly #startBefore: number;

  constructor(parts: DispatchParts, receiver: Receiver, delivery: DeliveryRecord) {
    this.#parts = parts;
    this.#receiver = receiver;
    this.#delivery = delivery;
    this.#claim = delivery.claim ?? '';
    // Later the claim could run out while the attempt is under way.
    this.#startBefore = performance.now() + parts.settings.leaseMarginMs / 2;
    parts.underWay.claimed(receiver, delivery._id, this.#claim);
  }

  start(slot: Slot): void {
    const inTime = performance.now() < this.#startBefore;
    this.#parts.underWay.add(inTime ? this.#run(slot) : this.#giveBack(slot));
  }

  async #run(slot: Slot): Promise<void> {
    const { lanes, sender, health, settings, dueAt } = this.#parts;
    const sent = await sender.send(this.#receiver, this.#delivery.event_id, this.#delivery.body);
    lanes.release(slot, { latencyMs: sent.attempt.latency_ms, timedOut: sent.timedOut });
    const outcome = outcomeOf(settings, this.#receiver, this.#delivery, sent);
    await this.#write(saveOutcome(this.#receiver, this.#delivery._id, this.#claim, outcome));
    health.note(this.#receiver, sent);
    if (outcome.due_at !== null) dueAt(outcome.due_at);
  }

  async #giveBack(slot: Slot): Promise<void> {
    this.#parts.lanes.release(slot);
    await this.#write(releaseDelivery(this.#receiver, this.#delivery._id, this.#claim, new Date()));
  }

  async #write(written: Promise<void>): Promise<void> {
    try {
      await written;
    } catch (error) {
      logger.warn({ err: error, event_id: this.#delivery.event_id }, 'an outcome could not be written');
    }
    this.#parts.underWay.settled(this.#delivery._id);
  }
}
