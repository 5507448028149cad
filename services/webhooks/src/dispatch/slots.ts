import { counter } from '@webkiln/runtime';
import type { DispatchSettings } from './dispatch-config.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

const waits = counter({
  name: 'webkiln_webhook_slot_waits_total',
  help: 'How often deliveries of an endpoint waited since their organization, host or the process had all its slots in use',
  labelNames: ['bound'],
});

/** The slots that one attempt holds. */
interface Taken {
  /** The bounds of its organization, of its receiving host and of the process. */
  readonly bounds: readonly SlotBound[];
  /** On the monotonic clock. */
  readonly since: number;
}

/**
 * This process's slots for attempts. An attempt takes one of the process, one of its organization and one of its
 * receiving host, so that neither an organization's nor a host's hanging endpoints use up the slots of others.
 */
export class SlotPool {
  readonly #settings: Pick<DispatchSettings, 'concurrency' | 'organizationConcurrency' | 'hostConcurrency'>;
  readonly #all: SlotBound;
  readonly #organizations = new Map<string, SlotBound>();
  readonly #hosts = new Map<string, SlotBound>();

  constructor(settings: Pick<DispatchSettings, 'concurrency' | 'organizationConcurrency' | 'hostConcurrency'>) {
    this.#settings = settings;
    this.#all = new SlotBound('process', settings.concurrency);
  }

  isExhausted(queue: EndpointQueue): boolean {
    return this.#all.free <= 0 || this.isShareExhausted(queue);
  }

  /** True if the queue's organization or host has all the slots that one may have. */
  isShareExhausted(queue: EndpointQueue): boolean {
    return this.#exhaustedShare(queue) !== undefined;
  }

  /** How many due deliveries the queue may claim: fewer while others of its organization or host wait for a slot. */
  maxClaim(queue: EndpointQueue): number {
    const { maxClaim = Number.POSITIVE_INFINITY } = this.#organizations.get(queue.org_id) ?? {};
    return Math.min(maxClaim, this.#hosts.get(queue.host)?.maxClaim ?? Number.POSITIVE_INFINITY);
  }

  take(queue: EndpointQueue): Taken {
    const { organizationConcurrency, hostConcurrency } = this.#settings;
    const bounds = [
      boundIn(this.#organizations, queue.org_id, () => new SlotBound('organization', organizationConcurrency)),
      boundIn(this.#hosts, queue.host, () => new SlotBound('host', hostConcurrency)),
      this.#all,
    ];
    for (const bound of bounds) bound.take();
    return { bounds, since: performance.now() };
  }

  /** The queue waits for its turn at the first bound that is exhausted. */
  wait(queue: EndpointQueue): void {
    const bound = this.#exhaustedShare(queue) ?? this.#all;
    if (bound.waiting.has(queue)) return;
    bound.waiting.add(queue);
    waits.labels(bound.name).inc();
  }

  /** Frees the slots; passes the queues whose turn it is to `onTurn`. */
  release({ bounds, since }: Taken, onTurn: (queue: EndpointQueue) => void): void {
    const tookMs = performance.now() - since;
    for (const bound of bounds) bound.release(tookMs);
    for (const bound of bounds) if (bound.waiting.size > 0) for (const queue of bound.next()) onTurn(queue);
  }

  /** Forgets organizations and hosts without attempts. */
  prune(): void {
    for (const bounds of [this.#organizations, this.#hosts]) {
      for (const [key, bound] of bounds) if (bound.isUnused) bounds.delete(key);
    }
  }

  /** The bound of its organization or host, if that has no free slot. */
  #exhaustedShare({ org_id, host }: EndpointQueue): SlotBound | undefined {
    const ofOrganization = this.#organizations.get(org_id);
    if (ofOrganization !== undefined && ofOrganization.free <= 0) return ofOrganization;
    const ofHost = this.#hosts.get(host);
    return ofHost !== undefined && ofHost.free <= 0 ? ofHost : undefined;
  }
}

function boundIn(bounds: Map<string, SlotBound>, key: string, create: () => SlotBound): SlotBound {
  let bound = bounds.get(key);
  if (bound === undefined) {
    bound = create();
    bounds.set(key, bound);
  }
  return bound;
}

const latencyWeight = 0.2;
/** A claimed delivery waits about this long for a slot. */
const claimAheadMs = 1_000;

/** A maximum of concurrent attempts, and the queues that wait for fewer, in the order of their turns. */
class SlotBound {
  readonly name: 'organization' | 'host' | 'process';
  readonly waiting = new Set<EndpointQueue>();
  readonly #max: number;
  #taken = 0;
  /** The moving average of how long an attempt takes. */
  #latencyMs = 0;

  constructor(name: SlotBound['name'], max: number) {
    this.name = name;
    this.#max = max;
  }

  get free(): number {
    return this.#max - this.#taken;
  }

  get isUnused(): boolean {
    return this.#taken === 0 && this.waiting.size === 0;
  }

  take(): void {
    this.#taken++;
  }

  release(tookMs: number): void {
    this.#taken--;
    this.#latencyMs += latencyWeight * (tookMs - this.#latencyMs);
  }

  /** How many deliveries one of the waiting queues may claim so that they begin soon (Little's law). */
  get maxClaim(): number {
    if (this.waiting.size === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, this.free, Math.floor((this.#max * claimAheadMs) / Math.max(1, this.#latencyMs) / (this.waiting.size + 1)));
  }

  /** As many waiting queues as there are free slots; they wait no longer. */
  *next(): Generator<EndpointQueue> {
    for (let { free } = this; free > 0 && this.waiting.size > 0; ) {
      const [queue] = this.waiting;
      if (queue === undefined) return;
      this.waiting.delete(queue);
      if (!queue.canStart && !queue.canClaim(performance.now())) continue;
      free--;
      yield queue;
    }
  }
}
