import { logger } from '@webkiln/runtime';
import { claimDue } from '../deliveries/delivery-store.ts';
import { dropDeliveries, skipPending } from '../deliveries/end-deliveries.ts';
import { endpointById } from '../endpoints/endpoint-store.ts';
import { attemptDue } from './attempt-due.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import type { Lane, Slot } from './lane.ts';

/** Slots that become free at nearly the same time are filled by one claim. */
const gatherMs = 5;
const claimsAtOnce = 8;

/** Claims due deliveries, endpoint by endpoint in turn, so many of each as it has free slots: what is claimed is begun at once. */
export class DueClaims {
  readonly #partsOf: () => DispatchParts;
  /** Endpoints with free slots and, as far as is known, due deliveries, in the order of their turns. */
  readonly #turns = new Set<Lane>();
  #claiming = 0;

  constructor(partsOf: () => DispatchParts) {
    this.#partsOf = partsOf;
  }

  readonly hasRoom = (lane: Lane): void => {
    if (this.#turns.has(lane)) return;
    this.#turns.add(lane);
    setTimeout(this.#next, gatherMs);
  };

  readonly #next = (): void => {
    const [lane] = this.#turns;
    if (lane === undefined || this.#claiming >= claimsAtOnce) return;
    this.#turns.delete(lane);
    this.#claiming++;
    void this.#fill(lane).finally(() => {
      this.#claiming--;
      this.#next();
    });
  };

  /** Never rejects: what could not be claimed is found by the next look. */
  async #fill(lane: Lane): Promise<void> {
    const { lanes } = this.#partsOf();
    const slots = lanes.take(lane);
    if (slots.length === 0) return lanes.hasBacklog(lane);
    lane.hasBacklog = false;
    try {
      const begun = await this.#begin(lane, slots);
      if (begun === slots.length) lane.hasBacklog = true;
      for (const slot of slots.slice(begun)) lanes.release(slot);
    } catch (error) {
      logger.warn({ err: error, webhook_id: lane.endpointId }, 'due deliveries could not be claimed');
      for (const slot of slots) lanes.release(slot);
    }
  }

  /** Begins so many attempts as it has slots, or as are due; what is due at an endpoint that is not, or not active, is put away. */
  async #begin(lane: Lane, slots: readonly Slot[]): Promise<number> {
    const { settings, underWay } = this.#partsOf();
    const now = Date.now();
    const until = new Date(now + settings.timeoutMs + settings.leaseMarginMs);
    const deliveries = await claimDue(lane, lane.endpointId, slots.length, new Date(now), until);
    if (deliveries.length === 0) return 0;
    const endpoint = await endpointById(lane, lane.endpointId);
    if (endpoint === null || !endpoint.is_active) {
      if (endpoint === null) await dropDeliveries(lane, lane.endpointId);
      else await skipPending(lane, lane.endpointId, new Date().toISOString());
      return 0;
    }
    for (const [index, delivery] of deliveries.entries()) {
      const slot = slots[index];
      if (slot !== undefined) underWay.add(attemptDue(this.#partsOf(), slot, endpoint, delivery));
    }
    return deliveries.length;
  }
}
