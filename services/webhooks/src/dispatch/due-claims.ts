import { logger } from '@webkiln/runtime';
import { claimDue } from '../deliveries/delivery-store.ts';
import { dropDeliveries, skipPending } from '../deliveries/end-deliveries.ts';
import { endpointById } from '../endpoints/endpoint-store.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { DueDelivery } from './due-delivery.ts';
import type { Lane } from './lane.ts';

/** Room that comes up at nearly the same time is filled by one claim. */
const gatherMs = 5;
const claimsAtOnce = 8;

/** Claims due deliveries, endpoint by endpoint in turn, of each so many as it can soon begin. */
export class DueClaims {
  readonly #partsOf: () => DispatchParts;
  /** Endpoints with room and, as far as is known, due deliveries, in the order of their turns. */
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
    const { underWay } = this.#partsOf();
    if (lane === undefined || this.#claiming >= claimsAtOnce || underWay.isDraining) return;
    this.#turns.delete(lane);
    this.#claiming++;
    const claim = this.#claim(lane).finally(() => {
      this.#claiming--;
      this.#next();
    });
    underWay.add(claim);
  };

  /** Never rejects: what could not be claimed is found by the next look. */
  async #claim(lane: Lane): Promise<void> {
    const room = lane.claimRoom(performance.now());
    if (room === 0) return;
    lane.hasBacklog = false;
    try {
      const claimed = await this.#begin(lane, room);
      if (claimed === room) this.#partsOf().lanes.hasBacklog(lane);
    } catch (error) {
      logger.warn({ err: error, webhook_id: lane.endpointId }, 'due deliveries could not be claimed');
    }
  }

  /** Begins so many attempts as there is room for, or are due; what is due at an endpoint that is not, or not active, is put away. */
  async #begin(lane: Lane, room: number): Promise<number> {
    const parts = this.#partsOf();
    const { timeoutMs, leaseMarginMs } = parts.settings;
    const now = Date.now();
    const deliveries = await claimDue(lane, lane.endpointId, room, new Date(now), new Date(now + timeoutMs + leaseMarginMs));
    if (deliveries.length === 0) return 0;
    const endpoint = await endpointById(lane, lane.endpointId);
    if (endpoint?.is_active === true) {
      const jobs = deliveries.map((delivery) => new DueDelivery(parts, endpoint, delivery));
      parts.lanes.enqueue(lane, jobs);
      return deliveries.length;
    }
    if (endpoint === null) await dropDeliveries(lane, lane.endpointId);
    else await skipPending(lane, lane.endpointId, new Date().toISOString());
    return 0;
  }
}
