import { randomUUID } from 'node:crypto';
import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';
import { counter } from '@webkiln/runtime';
import { BatchQueue, type Publish } from './batch-queue.ts';
import { UsageCounts } from './usage-counts.ts';

const tickMs = 1000;
/** Each key that was used is a write: the longer they wait, the fewer there are. */
const countsEveryTicks = 10;
const batchMost = 500;
/** What waits while NATS is away, some 5 MB; what comes beyond is dropped: nothing may be slowed by a log. */
const waitingMost = 10_000;
const dayMs = 24 * 3600_000;
const tooMany = 429;

const droppedTotal = counter({
  name: 'webkiln_request_log_dropped_total',
  help: 'Requests that are not in the log, because too many waited',
});
const uncountedTotal = counter({
  name: 'webkiln_usage_dropped_total',
  help: 'Requests that are in no usage, because those of too many keys waited',
});

interface Options {
  readonly publish: Publish;
  /** For tests: how many may wait. */
  readonly most?: number;
}

/** Gathers what this gateway answers, and tells of it once a second, 500 requests in a batch; what it counted it tells every ten seconds. */
export class RequestLog {
  readonly #most: number;
  readonly #queue: BatchQueue;
  readonly #usage = new UsageCounts();
  readonly #timer = setInterval(() => void this.#tick(), tickMs).unref();
  #dayNumber = 0;
  #requests: AnsweredRequest[] = [];
  /** Who asked beyond his limit since the batch was begun. */
  readonly #refused = new Set<string>();
  #ticks = 0;

  constructor({ publish, most = waitingMost }: Options) {
    this.#queue = new BatchQueue(publish);
    this.#most = most;
  }

  /** Takes note of an answer. All are counted; of those beyond a credential's limit the first of a batch alone is in the log. */
  record(request: AnsweredRequest): void {
    const dayNumber = Math.floor(request.at / dayMs);
    if (dayNumber !== this.#dayNumber) this.#begin(dayNumber);
    if (!this.#usage.add(request)) uncountedTotal.inc();
    if (request.status === tooMany) {
      if (this.#refused.has(request.credential)) return;
      this.#refused.add(request.credential);
    }
    if (this.#queue.waiting + this.#requests.length >= this.#most) return void droppedTotal.inc();
    if (this.#requests.push(request) >= batchMost) void this.#sendRequests();
  }

  /** Resolves when all that was recorded is kept, or the first batch that cannot be is left for the next time. */
  async flush(): Promise<void> {
    this.#sealCounts();
    await this.#sendRequests();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #begin(dayNumber: number): void {
    this.#sealRequests();
    this.#sealCounts();
    this.#dayNumber = dayNumber;
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    // While NATS is away the counts grow where they are, which takes no more room.
    if (this.#ticks % countsEveryTicks === 0 && !this.#queue.isAway) this.#sealCounts();
    await this.#sendRequests();
  }

  async #sendRequests(): Promise<void> {
    this.#sealRequests();
    await this.#queue.send();
  }

  #sealRequests(): void {
    if (this.#requests.length > 0) this.#seal({ requests: this.#requests, usage: [] });
    this.#requests = [];
    this.#refused.clear();
  }

  #sealCounts(): void {
    for (const usage of this.#usage.take(batchMost)) this.#seal({ requests: [], usage });
  }

  #seal(told: Pick<RequestBatch, 'requests' | 'usage'>): void {
    const day = new Date(this.#dayNumber * dayMs).toISOString().slice(0, 10);
    this.#queue.add({ id: randomUUID(), type: 'requests.answered', day, ...told });
  }
}
