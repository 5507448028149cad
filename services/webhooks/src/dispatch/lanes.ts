import { HeldJobs } from './held-jobs.ts';
import { type FirstJob, type Job, Lane, type Slot } from './lane.ts';

const pruneEveryMs = 60_000;

interface LanesOptions {
  readonly endpointConcurrency: number;
  readonly concurrency: number;
  readonly patienceMs: number;
  /** Due deliveries of an endpoint that has some can be claimed. */
  readonly onRoom: (lane: Lane) => void;
}

/**
 * Shares this process's attempts out among endpoints: so many at once for each, so many in all, and in turn where all are taken. A first
 * attempt is put off when it has been held for longer than the patience.
 */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #held: HeldJobs;
  /** Lanes that could go on but for the number of attempts in all, in the order of their turns. */
  readonly #hungry = new Set<Lane>();
  readonly #pruning: NodeJS.Timeout;
  #taken = 0;
  #stopped = false;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#held = new HeldJobs(options.patienceMs);
    this.#pruning = setInterval(() => {
      for (const [id, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(id);
    }, pruneEveryMs);
  }

  lane(endpointId: string, org_id: string): Lane {
    let lane = this.#lanes.get(endpointId);
    if (lane === undefined) {
      lane = new Lane(endpointId, org_id, this.#options.endpointConcurrency);
      this.#lanes.set(endpointId, lane);
    }
    return lane;
  }

  /** Starts a first attempt, has it wait for a slot, or puts it off where it would wait too long. */
  submit(lane: Lane, job: FirstJob): void {
    const { cameAt } = job;
    const wouldHoldUp = !lane.isOpen && lane.isSlow(cameAt) && lane.waiting.size >= lane.queueMost(this.#options.patienceMs, cameAt);
    if (this.#stopped || wouldHoldUp) {
      job.putOff();
    } else {
      this.#held.add(job, lane);
      lane.waiting.add(job);
      this.#fill(lane);
    }
  }

  /** Starts attempts for claimed deliveries, or has them wait for slots. */
  enqueue(lane: Lane, jobs: readonly Job[]): void {
    for (const job of jobs) lane.waiting.add(job);
    lane.claimed += jobs.length;
    this.#fill(lane);
  }

  /** The first attempt holds nothing up any more. */
  forget(job: FirstJob): void {
    this.#held.delete(job);
  }

  /** Gives a slot back, with how its attempt went; without it none was made. */
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

  /** There may be due deliveries in the store. */
  hasBacklog(lane: Lane): void {
    lane.hasBacklog = true;
    this.#fill(lane);
  }

  /** Starts nothing more, and puts off what waits or takes long. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#pruning);
    this.#held.stop();
  }

  get #isFull(): boolean {
    return this.#taken >= this.#options.concurrency;
  }

  #fill(lane: Lane, most = Number.POSITIVE_INFINITY): void {
    if (this.#stopped) return;
    let started = 0;
    for (const job of lane.waiting) {
      if (!lane.isOpen || started === most || this.#isFull) break;
      lane.waiting.delete(job);
      if (!this.#held.has(job)) lane.claimed--;
      started++;
      job.start(this.#slot(lane));
    }
    const canStart = lane.isOpen && lane.waiting.size > 0;
    const canClaim = lane.hasBacklog && lane.claimRoom(performance.now()) > 0;
    if (canStart || (canClaim && this.#isFull)) this.#hungry.add(lane);
    if (canClaim && !this.#isFull) this.#options.onRoom(lane);
  }

  #slot(lane: Lane): Slot {
    const slot = { lane, takenAt: performance.now() };
    lane.taken.add(slot);
    this.#taken++;
    return slot;
  }
}
