import type { FirstJob, Job, Lane } from './lane.ts';

const lookEveryMs = 50;
/** So many times longer may a job wait for an endpoint that answers quickly: it is we who are behind, and the store would make us slower. */
const quickFactor = 5;

/** First attempts that hold an event in memory and on the stream, waiting or under way; they are put off when that takes too long. */
export class HeldJobs {
  readonly #patienceMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Oldest first. */
  readonly #jobs = new Map<Job, { readonly job: FirstJob; readonly lane: Lane }>();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#timer = setInterval(() => this.#putOffLate(), lookEveryMs);
  }

  add(job: FirstJob, lane: Lane): void {
    this.#jobs.set(job, { job, lane });
  }

  has(job: Job): boolean {
    return this.#jobs.has(job);
  }

  delete(job: FirstJob): void {
    this.#jobs.delete(job);
  }

  /** Puts all off. */
  stop(): void {
    clearInterval(this.#timer);
    for (const { job, lane } of this.#jobs.values()) this.#putOff(job, lane);
  }

  #putOffLate(): void {
    const now = performance.now();
    for (const { job, lane } of this.#jobs.values()) {
      const heldMs = now - job.cameAt;
      if (heldMs < this.#patienceMs) return;
      if (job.isUnderWay || lane.isSlow(now) || heldMs >= this.#patienceMs * quickFactor) this.#putOff(job, lane);
    }
  }

  #putOff(job: FirstJob, lane: Lane): void {
    this.#jobs.delete(job);
    lane.waiting.delete(job);
    job.putOff();
  }
}
