import { randomUUID } from 'node:crypto';
import type { StreamEvent } from '@webkiln/events';
import { type DeliveryState, deliveryId } from '../../deliveries/delivery.ts';
import { addDelivery, saveOutcome } from '../../deliveries/delivery-store.ts';
import type { AttemptParts, HeldAttempt } from './attempt.ts';
import { isHeldBack, untilResumed } from './held-back.ts';
import type { Claim } from './in-flight.ts';
import type { Outcome } from './outcome.ts';
import type { Receiver, Sent } from './sender.ts';

/** `stored` rejects too, and the event is redelivered; or the delivery was stored before, and its claim expires. */
const notStored = () => undefined;

/** A delivery without any attempt yet, and without its body. */
export const newDelivery = ({ id, type }: StreamEvent, endpointId: string, retentionMs: number) => {
  const now = Date.now();
  return {
    _id: deliveryId(id, endpointId),
    endpoint_id: endpointId,
    event_id: id,
    event_type: type,
    status: 'pending',
    attempts: [],
    attempt_count: 0,
    due_at: null,
    claim: null,
    created_at: new Date(now).toISOString(),
    delivered_at: null,
    expire_at: new Date(now + retentionMs),
  } satisfies Omit<DeliveryState, 'org_id' | 'body'>;
};

/**
 * The first attempt for an event from the stream. A quick one costs a single write: the delivery with its outcome. A
 * deferred one is stored as pending first, so that the event can be acknowledged, and its outcome is a second write.
 */
export class FirstAttempt implements HeldAttempt {
  readonly isClaimed = false;
  readonly url: string;
  readonly receivedAt = performance.now();
  /** Resolves when the delivery is stored; rejects when it could not be, so that the event is redelivered. */
  readonly stored: Promise<void>;
  readonly #parts: AttemptParts;
  readonly #receiver: Receiver;
  readonly #delivery: ReturnType<typeof newDelivery>;
  readonly #json: string;
  /** Resolves when the body that the event's deliveries share is stored; without one, the delivery holds it. */
  readonly #bodyStored: Promise<void> | undefined;
  readonly #resolveStored: (written: Promise<void>) => void;
  #deferred: Claim | undefined;

  constructor(parts: AttemptParts, receiver: Receiver, event: StreamEvent, bodyStored: Promise<void> | undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stored = promise;
    this.#resolveStored = resolve;
    this.#parts = parts;
    this.#receiver = receiver;
    this.url = receiver.url;
    this.#delivery = newDelivery(event, receiver._id, parts.settings.retentionMs);
    this.#json = event.json;
    this.#bodyStored = bodyStored;
  }

  async send(): Promise<Sent | undefined> {
    if (await isHeldBack(this.#receiver)) {
      this.#parts.inFlight.track(this.#write(untilResumed(this.#delivery)).catch(notStored));
      return undefined;
    }
    return this.#parts.sender.send(this.#receiver, this.#delivery.event_id, this.#json);
  }

  /** Without a request in flight the delivery is due at once, otherwise when its attempt counts as lost. */
  defer(isInFlight: boolean): Promise<void> {
    const { inFlight, settings } = this.#parts;
    const claim = isInFlight ? randomUUID() : null;
    const dueAt = Date.now() + (isInFlight ? settings.timeoutMs + settings.leaseMarginMs : 0);
    const written = this.#add({ claim, due_at: new Date(dueAt) });
    if (claim !== null) {
      this.#deferred = { tenant: this.#receiver, deliveryId: this.#delivery._id, claim, expiresAt: dueAt, stored: written };
      inFlight.addClaim(this.#deferred);
    }
    this.#resolveStored(written);
    return written;
  }

  save(sent: Sent): Promise<void> {
    return this.#parts.outcomes.record(this.#receiver, this.#delivery, sent, (outcome) => this.#write(outcome));
  }

  #write(outcome: Outcome): Promise<void> {
    const deferred = this.#deferred;
    if (deferred !== undefined) {
      return this.#parts.inFlight.endClaim(deferred, () => saveOutcome(this.#receiver, deferred.deliveryId, deferred.claim, outcome));
    }
    const written = this.#add(outcome);
    this.#resolveStored(written);
    return written;
  }

  async #add(changes: Partial<DeliveryState>): Promise<void> {
    await this.#bodyStored;
    await addDelivery(this.#receiver, { ...this.#delivery, body: this.#bodyStored === undefined ? this.#json : null, ...changes });
  }
}
