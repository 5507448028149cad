import type { EventLoopUtilization } from 'node:perf_hooks';
import type { HeldAttempt, QueuedAttempt } from './attempts.ts';
import type { DispatchSettings } from './dispatch-config.ts';
import type { DueClaims } from './due-claims.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { InFlight } from './in-flight.ts';
import { SlotPool } from './slots.ts';

const pruneIntervalMs = 60_000;

type QueueSettings = Pick<
  DispatchSettings,
  'endpointConcurrency' | 'organizationConcurrency' | 'hostConcurrency' | 'concurrency' | 'maxHoldMs'
>;

/**
 * Shares this process's slots among endpoints, in turn if all are taken: up to `endpointConcurrency` for each,
 * `organizationConcurrency` for those of one organization, `hostConcurrency` for those at one host. A first attempt
 * that is held longer than `maxHoldMs` is deferred: the store takes it over.
 */
export class EndpointQueues {
  readonly #settings: QueueSettings;
  readonly #claims: DueClaims;
  readonly #inFlight: InFlight;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #held: HeldAttempts;
  readonly #slots: SlotPool;
  #pruning: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(settings: QueueSettings, claims: DueClaims, inFlight: InFlight) {
    this.#settings = settings;
    this.#claims = claims;
    this.#inFlight = inFlight;
    this.#slots = new SlotPool(settings);
    this.#held = new HeldAttempts({
      maxHoldMs: settings.maxHoldMs,
      isBlocked: (queue) => this.#slots.isShareExhausted(queue),
      onOverdue: ({ attempt, queue }) => this.#defer(attempt, queue),
    });
  }

  start(): void {
    const prune = () => {
      for (const [id, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(id);
      this.#slots.prune();
    };
    this.#pruning = setInterval(prune, pruneIntervalMs);
  }

  /** Starts no more attempts, and defers all that are held. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#pruning);
    for (const { attempt, queue } of this.#held.takeAll()) this.#defer(attempt, queue);
  }

  /** Starts an event's first attempt, queues it, or defers it if it would wait too long. */
  submit({ _id, org_id }: { _id: string; org_id: string }, attempt: HeldAttempt): void {
    const queue = this.#queueOf(_id, org_id);
    if (this.#isStopped || queue.isFull(this.#settings.maxHoldMs, attempt.receivedAt)) {
      this.#defer(attempt, queue);
      return;
    }
    this.#held.add(attempt, queue);
    queue.add(attempt);
    this.#fill(queue);
  }

  /** The store may hold due deliveries of this endpoint. */
  markBacklog(endpointId: string, org_id: string): void {
    this.#fillFromStore(this.#queueOf(endpointId, org_id));
  }

  #fillFromStore(queue: EndpointQueue): void {
    queue.markBacklog();
    this.#fill(queue);
  }

  #queueOf(endpointId: string, org_id: string): EndpointQueue {
    let queue = this.#queues.get(endpointId);
    if (queue === undefined) {
      queue = new EndpointQueue(endpointId, org_id, this.#settings.endpointConcurrency);
      this.#queues.set(endpointId, queue);
    }
    return queue;
  }

  #defer(attempt: HeldAttempt, queue: EndpointQueue): void {
    const isInFlight = queue.isInFlight(attempt);
    queue.withdraw(attempt);
    attempt.defer(isInFlight).then(
      () => isInFlight || this.#fillFromStore(queue),
      // The event is redelivered: it is acknowledged only once its delivery is stored.
      () => undefined,
    );
  }

  /** Gives free slots to waiting attempts, up to `max`, then to due deliveries. */
  #fill(queue: EndpointQueue, max = Number.POSITIVE_INFINITY): void {
    if (this.#isStopped) return;
    for (let started = 0; started < max && !this.#slots.isExhausted(queue); started++) {
      const attempt = queue.startNext();
      if (attempt === undefined) break;
      this.#inFlight.track(this.#run(queue, attempt, this.#slots.take(queue)));
    }
    const canClaim = queue.canClaim(performance.now());
    const isExhausted = this.#slots.isExhausted(queue);
    if (queue.canStart || (canClaim && isExhausted)) this.#slots.wait(queue);
    if (canClaim && !isExhausted) void this.#claim(queue);
  }

  async #run(queue: EndpointQueue, attempt: QueuedAttempt, taken: ReturnType<SlotPool['take']>): Promise<void> {
    const sent = await attempt.send();
    queue.finish(attempt, sent);
    this.#slots.release(taken, (next) => this.#fill(next, 1));
    this.#fill(queue);
    this.#held.delete(attempt);
    if (sent !== undefined) await attempt.save(sent);
  }

  async #claim(queue: EndpointQueue): Promise<void> {
    queue.beginClaim();
    queue.endClaim(await this.#claims.claim(queue, () => this.#slots.maxClaim(queue)));
    this.#fill(queue);
  }
}

/** An attempt that waits for this process alone may wait this many times longer: deferring would slow it further. */
const quickFactor = 5;
const overdueCheckMs = 50;
/** From this share of its time on, the event loop itself is what attempts wait for, whatever their endpoints do. */
const busyShare = 0.9;

interface Held {
  readonly attempt: HeldAttempt;
  readonly queue: EndpointQueue;
}

interface HeldOptions {
  readonly maxHoldMs: number;
  /** True if other endpoints have the slots that the queue's attempts wait for, so that it is no quick one. */
  readonly isBlocked: (queue: EndpointQueue) => boolean;
  /** Called with an attempt that has been held for too long, and no longer is. */
  readonly onOverdue: (held: Held) => void;
}

/** First attempts, waiting or in flight, whose event is still held in memory and on the stream. */
class HeldAttempts {
  readonly #options: HeldOptions;
  /** Oldest first. */
  readonly #held = new Map<QueuedAttempt, Held>();
  /** The use of the event loop until attempts were looked after last. */
  #loop: EventLoopUtilization | undefined;
  /** Runs while something is held. */
  #watch: NodeJS.Timeout | undefined;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  add(attempt: HeldAttempt, queue: EndpointQueue): void {
    this.#held.set(attempt, { attempt, queue });
    if (this.#watch !== undefined) return;
    this.#loop = performance.eventLoopUtilization();
    this.#watch = setInterval(() => this.#look(), overdueCheckMs);
  }

  delete(attempt: QueuedAttempt): void {
    this.#held.delete(attempt);
  }

  takeAll(): Held[] {
    const held = [...this.#held.values()];
    this.#held.clear();
    this.#look();
    return held;
  }

  #look(): void {
    const before = this.#loop;
    this.#loop = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(this.#loop, before).utilization >= busyShare;
    this.#takeOverdue(performance.now(), isBusy).forEach(this.#options.onOverdue);
    if (this.#held.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #takeOverdue(now: number, isBusy: boolean): Held[] {
    const overdue: Held[] = [];
    const { maxHoldMs, isBlocked } = this.#options;
    for (const { attempt, queue } of this.#held.values()) {
      const heldMs = now - attempt.receivedAt;
      if (heldMs < maxHoldMs) break;
      const isSlow = !isBusy && (queue.isInFlight(attempt) || queue.isSlow(now) || isBlocked(queue));
      if (isSlow || heldMs >= maxHoldMs * quickFactor) overdue.push({ attempt, queue });
    }
    for (const { attempt } of overdue) this.#held.delete(attempt);
    return overdue;
  }
}
