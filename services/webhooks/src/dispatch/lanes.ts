import { type Job, Lane, type Slot } from './lane.ts';

const sweepEveryMs = 50;
const pruneEveryMs = 60_000;

interface LanesOptions {
  readonly endpointConcurrency: number;
  readonly concurrency: number;
  readonly patienceMs: number;
  /** There are slots for due deliveries of an endpoint that has some. */
  readonly onRoom: (lane: Lane) => void;
}

/**
 * Shares this process's attempts out among endpoints: so many at once for each, so many in all, and in turn where all are taken. No job
 * is held longer than the patience.
 */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Waiting or under way, oldest first. */
  readonly #held = new Map<Job, Lane>();
  /** Lanes that could go on but for the number of attempts in all, in the order of their turns. */
  readonly #hungry = new Set<Lane>();
  readonly #timers: NodeJS.Timeout[];
  #taken = 0;
  #stopped = false;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#timers = [setInterval(() => this.#sweep(), sweepEveryMs), setInterval(() => this.#prune(), pruneEveryMs)];
  }

  lane(endpointId: string, org_id: string): Lane {
    let lane = this.#lanes.get(endpointId);
    if (lane === undefined) {
      lane = new Lane(endpointId, org_id, this.#options.endpointConcurrency);
      this.#lanes.set(endpointId, lane);
    }
    return lane;
  }

  /** Starts a job, has it wait for a slot, or puts it off where it would wait too long. */
  submit(lane: Lane, job: Job): void {
    if (this.#stopped || (!lane.isOpen && lane.waiting.size >= lane.queueMost(this.#options.patienceMs, job.cameAt))) {
      job.putOff();
      return;
    }
    this.#held.set(job, lane);
    lane.waiting.add(job);
    this.#fill(lane);
  }

  /** The job holds nothing up any more. */
  forget(job: Job): void {
    this.#held.delete(job);
  }

  /** Takes the free slots of an endpoint for due deliveries. */
  take(lane: Lane): Slot[] {
    const free = this.#stopped ? 0 : Math.min(lane.free, this.#options.concurrency - this.#taken);
    return Array.from({ length: Math.max(free, 0) }, () => this.#slot(lane));
  }

  /** Gives a slot back, with how its attempt went; without it the slot was not used. */
  release(slot: Slot, attempt?: { latencyMs: number; timedOut: boolean }): void {
    const { lane } = slot;
    lane.taken.delete(slot);
    this.#taken--;
    if (attempt !== undefined) lane.learn(attempt.latencyMs, attempt.timedOut);
    const [next] = this.#hungry;
    if (next !== undefined) {
      this.#hungry.delete(next);
      this.#fill(next, 1);
    }
    this.#fill(lane);
  }

  /** There are due deliveries in the store. */
  hasBacklog(lane: Lane): void {
    lane.hasBacklog = true;
    this.#fill(lane);
  }

  /** Starts nothing more, and puts off what waits or takes long. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const [job, lane] of this.#held) this.#putOff(job, lane);
  }

  #slot(lane: Lane): Slot {
    const slot = { lane, takenAt: performance.now() };
    lane.taken.add(slot);
    this.#taken++;
    return slot;
  }

  #fill(lane: Lane, most = Number.POSITIVE_INFINITY): void {
    if (this.#stopped) return;
    let started = 0;
    for (const job of lane.waiting) {
      if (!lane.isOpen || started === most || this.#isFull) break;
      lane.waiting.delete(job);
      started++;
      job.start(this.#slot(lane));
    }
    const wantsMore = (lane.waiting.size > 0 && lane.isOpen) || (lane.hasBacklog && lane.free > 0);
    if (wantsMore && (this.#isFull || started === most)) this.#hungry.add(lane);
    else if (lane.hasBacklog && lane.free > 0) this.#options.onRoom(lane);
  }

  get #isFull(): boolean {
    return this.#taken >= this.#options.concurrency;
  }

  #sweep(): void {
    const before = performance.now() - this.#options.patienceMs;
    for (const [job, lane] of this.#held) {
      if (job.cameAt > before) return;
      this.#putOff(job, lane);
    }
  }

  #putOff(job: Job, lane: Lane): void {
    this.#held.delete(job);
    lane.waiting.delete(job);
    job.putOff();
  }

  #prune(): void {
    for (const [id, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(id);
  }
}
