import { randomUUID } from 'node:crypto';
import type { StreamEvent } from '@webkiln/events';
import { suspensionOf } from '@webkiln/org-policy';
import { logger } from '@webkiln/runtime';
import { type DeliveryState, deliveryId } from '../deliveries/delivery.ts';
import { addDelivery, type DeliveryRecord, saveOutcome } from '../deliveries/delivery-store.ts';
import type { DispatchSettings } from './dispatch-config.ts';
import type { Claim, InFlight } from './in-flight.ts';
import type { AttemptedDelivery, Outcome, OutcomeRecorder } from './outcome.ts';
import type { Receiver, Sender, Sent } from './sender.ts';

/** One attempt to deliver, as its endpoint's queue runs it. Neither method rejects. */
export interface QueuedAttempt {
  /** Where it goes. */
  readonly url: string;
  /** True for a delivery that this process has claimed in the store. */
  readonly isClaimed: boolean;
  /** Makes the request; undefined if it was too late to make it. */
  send(): Promise<Sent | undefined>;
  /** Writes the outcome. */
  save(sent: Sent): Promise<void>;
}

/** The first attempt for an event. Until its delivery is stored, the event occupies memory and the stream. */
export interface HeldAttempt extends QueuedAttempt {
  /** When the event arrived, on the monotonic clock in milliseconds. */
  readonly receivedAt: number;
  /**
   * Stores the delivery before its outcome is known. `isInFlight`: the request is being made, and `save` follows.
   * Rejects if that fails.
   */
  defer(isInFlight: boolean): Promise<void>;
}

/** The dependencies of attempts. */
export interface AttemptParts {
  readonly settings: DispatchSettings;
  readonly sender: Sender;
  readonly outcomes: OutcomeRecorder;
  readonly inFlight: InFlight;
}

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

/**
 * A later attempt, for a delivery that this process has claimed. If its outcome cannot be written until the claim
 * expires, it is repeated.
 */
export class ClaimedAttempt implements QueuedAttempt {
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

/** True if nothing is sent to the endpoint, because its organization is suspended. */
async function isHeldBack({ org_id }: Receiver): Promise<boolean> {
  try {
    return (await suspensionOf(org_id)).suspended;
  } catch (error) {
    logger.warn({ err: error, org_id }, 'reading the policy of an organization failed; sending its deliveries');
    return false;
  }
}

/** Pending and never due, without an attempt: `sweepHeldBack` makes it due. */
const untilResumed = ({ attempts, attempt_count }: AttemptedDelivery): Outcome => ({
  attempts,
  attempt_count,
  status: 'pending',
  due_at: null,
  delivered_at: null,
});
