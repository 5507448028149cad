import { randomUUID } from 'node:crypto';
import type { StreamEvent } from '@webkiln/events';
import { logger } from '@webkiln/runtime';
import { type DeliveryState, deliveryId } from '../deliveries/delivery.ts';
import { addDelivery, saveOutcome } from '../deliveries/delivery-store.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { FirstJob, Lane, Slot } from './lane.ts';
import { outcomeOf } from './outcomes.ts';
import type { Receiver } from './sender.ts';

/** A delivery's row before anything was tried. */
export const newDelivery = ({ id, type, json }: StreamEvent, endpointId: string, retentionMs: number) => {
  const now = Date.now();
  return {
    _id: deliveryId(id, endpointId),
    endpoint_id: endpointId,
    event_id: id,
    event_type: type,
    body: json,
    status: 'pending',
    attempts: [],
    attempt_count: 0,
    due_at: null,
    claim: null,
    created_at: new Date(now).toISOString(),
    delivered_at: null,
    expire_at: new Date(now + retentionMs),
  } satisfies Omit<DeliveryState, 'org_id'>;
};

/**
 * The first attempt for an event that came from the stream. Where it is quick the row is written once, with its outcome; where it is not
 * the row is written as pending, so that the event can be acknowledged, and changed by the outcome.
 */
export class FirstDelivery implements FirstJob {
  readonly cameAt: number;
  /** Resolves when the delivery's row is in the store. */
  readonly settled: Promise<void>;
  readonly #parts: DispatchParts;
  readonly #lane: Lane;
  readonly #receiver: Receiver;
  readonly #row: ReturnType<typeof newDelivery>;
  readonly #settle: (written: Promise<void>) => void;
  #slot: Slot | undefined;
  #putOff: { claim: string; written: Promise<boolean> } | undefined;

  constructor(parts: DispatchParts, lane: Lane, receiver: Receiver, event: StreamEvent) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cameAt = performance.now();
    this.settled = promise;
    this.#settle = resolve;
    this.#parts = parts;
    this.#lane = lane;
    this.#receiver = receiver;
    this.#row = newDelivery(event, receiver._id, parts.settings.retentionMs);
    parts.lanes.submit(lane, this);
  }

  get isUnderWay(): boolean {
    return this.#slot !== undefined;
  }

  start(slot: Slot): void {
    this.#slot = slot;
    this.#parts.underWay.add(this.#run(slot));
  }

  /** The row is due at once where nothing was tried yet, else when the attempt under way counts as lost. */
  putOff(): void {
    const { lanes, underWay, settings } = this.#parts;
    const claim = this.#slot === undefined ? null : randomUUID();
    const dueAt = Date.now() + (claim === null ? 0 : settings.timeoutMs + settings.leaseMarginMs);
    const written = addDelivery(this.#receiver, { ...this.#row, claim, due_at: new Date(dueAt) });
    if (claim !== null) {
      this.#putOff = { claim, written };
      underWay.claimed(this.#receiver, this.#row._id, claim);
    }
    this.#settle(
      written.then(() => {
        if (claim === null) lanes.hasBacklog(this.#lane);
      }),
    );
  }

  async #run(slot: Slot): Promise<void> {
    const { lanes, sender, health, settings } = this.#parts;
    const sent = await sender.send(this.#receiver, this.#row.event_id, this.#row.body);
    lanes.release(slot, { latencyMs: sent.attempt.latency_ms, timedOut: sent.timedOut });
    lanes.forget(this);
    const outcome = outcomeOf(settings, this.#receiver, this.#row, sent);
    const saving = this.#save(outcome);
    if (this.#putOff === undefined) this.#settle(saving);
    await saving.catch((error: unknown) => logger.warn({ err: error, event_id: this.#row.event_id }, 'an outcome could not be written'));
    health.note(this.#receiver, sent);
    if (outcome.due_at !== null) this.#parts.dueAt(outcome.due_at);
  }

  async #save(outcome: ReturnType<typeof outcomeOf>): Promise<void> {
    if (this.#putOff === undefined) {
      await addDelivery(this.#receiver, { ...this.#row, ...outcome });
      return;
    }
    const { claim, written } = this.#putOff;
    await written.catch(() => undefined);
    await saveOutcome(this.#receiver, this.#row._id, claim, outcome);
    this.#parts.underWay.settled(this.#row._id);
  }
}
