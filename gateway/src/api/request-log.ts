import { randomUUID } from 'node:crypto';
import type { AnsweredRequest, RequestBatch, UsageCount } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';

const tickMs = 1000;
/** A usage report costs one write per key: fewer reports, fewer writes. */
const ticksPerUsageReport = 10;
const maxBatchSize = 500;
/** About 5 MB. While NATS is lost, further requests are dropped from the log: no response may wait for it. */
const defaultMaxWaiting = 10_000;
/** So many successful reads of an organization a gateway logs in a second. */
const maxReadsPerTick = 100;
const dayMs = 24 * 3600_000;
const tooManyRequests = 429;

const droppedTotal = counter({
  name: 'webkiln_request_log_dropped_total',
  help: 'Requests that are not in the log, because too many waited',
});
const uncountedTotal = counter({
  name: 'webkiln_usage_dropped_total',
  help: 'Requests that are in no usage, because those of too many keys waited',
});

/** Resolves when the stream has stored the batch. A batch may be published twice: its id makes that safe. */
type Publish = (batch: RequestBatch) => Promise<void>;

interface Options {
  readonly publish: Publish;
  /** Limit of requests that wait to be published; tests lower it. */
  readonly maxWaiting?: number;
}

/**
 * Publishes this gateway's responses once a second, up to 500 in a batch, and its usage counts every ten seconds. Of
 * many successful reads it publishes a sample.
 */
export class RequestLog {
  readonly #maxWaiting: number;
  readonly #queue: BatchQueue;
  readonly #usage = new UsageCounts();
  readonly #timer = setInterval(() => void this.#tick(), tickMs).unref();
  #dayNumber = 0;
  #requests: AnsweredRequest[] = [];
  /** Credentials that exceeded their limit since the batch began. */
  readonly #rateLimited = new Set<string>();
  readonly #reads = new ReadSamples();
  #ticks = 0;

  constructor({ publish, maxWaiting = defaultMaxWaiting }: Options) {
    this.#queue = new BatchQueue(publish);
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Records a response. All count as usage. Logged are all but successful reads beyond `maxReadsPerTick`, and a
   * credential's 429 responses after the first of each batch.
   */
  record(request: AnsweredRequest): void {
    const dayNumber = Math.floor(request.at / dayMs);
    if (dayNumber !== this.#dayNumber) this.#begin(dayNumber);
    if (!this.#usage.add(request)) uncountedTotal.inc();
    if (request.status === tooManyRequests) {
      if (this.#rateLimited.has(request.credential)) return;
      this.#rateLimited.add(request.credential);
    }
    if (request.method === 'GET' && request.status < 400 && !this.#reads.takes(request.org_id)) return;
    if (this.#queue.waiting + this.#requests.length >= this.#maxWaiting) return void droppedTotal.inc();
    if (this.#requests.push(request) >= maxBatchSize) void this.#sendRequests();
  }

  /** Publishes all that was recorded, as far as the stream accepts it. */
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
    this.#reads.next();
    // While NATS is lost, counts stay in place: sealed batches would take more memory.
    if (this.#ticks % ticksPerUsageReport === 0 && !this.#queue.isBlocked) this.#sealCounts();
    await this.#sendRequests();
  }

  async #sendRequests(): Promise<void> {
    this.#sealRequests();
    await this.#queue.send();
  }

  #sealRequests(): void {
    if (this.#requests.length > 0) this.#seal({ requests: this.#requests, usage: [] });
    this.#requests = [];
    this.#rateLimited.clear();
  }

  #sealCounts(): void {
    for (const usage of this.#usage.take(maxBatchSize)) this.#seal({ requests: [], usage });
  }

  #seal(content: Pick<RequestBatch, 'requests' | 'usage'>): void {
    const day = new Date(this.#dayNumber * dayMs).toISOString().slice(0, 10);
    this.#queue.add({ id: randomUUID(), type: 'requests.answered', day, ...content });
  }
}

/** Batches that are not published yet, in order. */
class BatchQueue {
  readonly #publish: Publish;
  readonly #batches: RequestBatch[] = [];
  #waiting = 0;
  #sending: Promise<void> | undefined;
  #isBlocked = false;

  constructor(publish: Publish) {
    this.#publish = publish;
  }

  /** Requests in the queue. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True if the last publish failed. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  add(batch: RequestBatch): void {
    this.#batches.push(batch);
    this.#waiting += batch.requests.length;
  }

  /** Publishes until the queue is empty or a publish fails; the failed batch stays first in the queue. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** One batch at a time, so that the log never crowds other messages out of the connection. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      try {
        await this.#publish(batch);
        this.#isBlocked = false;
      } catch (error) {
        if (!this.#isBlocked)
          logger.warn({ err: error, requests: this.#waiting }, 'request log batch not published; it is retried every second');
        this.#isBlocked = true;
        return;
      }
      this.#batches.shift();
      this.#waiting -= batch.requests.length;
    }
  }
}

interface Reads {
  /** One of so many is logged: after the number of the second before, so that they are spread evenly. */
  every: number;
  seen: number;
  taken: number;
}

/** Chooses which successful reads of each organization are logged. */
class ReadSamples {
  readonly #reads = new Map<string, Reads>();

  takes(org_id: string): boolean {
    let reads = this.#reads.get(org_id);
    if (reads === undefined) {
      reads = { every: 1, seen: 0, taken: 0 };
      this.#reads.set(org_id, reads);
    }
    reads.seen += 1;
    if (reads.seen % reads.every !== 0 || reads.taken >= maxReadsPerTick) return false;
    reads.taken += 1;
    return true;
  }

  /** A second is over: organizations without reads in it are forgotten. */
  next(): void {
    for (const [org_id, { seen }] of this.#reads) {
      if (seen === 0) this.#reads.delete(org_id);
      else this.#reads.set(org_id, { every: Math.max(1, Math.ceil(seen / maxReadsPerTick)), seen: 0, taken: 0 });
    }
  }
}

/** Credentials counted at once; about 3 MB. */
const maxCounted = 20_000;

/** Requests of one day: per API key, and per organization for all its sessions together. */
class UsageCounts {
  readonly #counts = new Map<string, UsageCount>();

  /** Returns false if the request is not counted because too many credentials are. */
  add({ org_id, kind, credential, status }: AnsweredRequest): boolean {
    const key_id = kind === 'api_key' ? credential : null;
    const counterId = key_id ?? org_id;
    let count = this.#counts.get(counterId);
    if (count === undefined) {
      if (this.#counts.size >= maxCounted) return false;
      count = { org_id, key_id, requests: 0, client_errors: 0, server_errors: 0 };
      this.#counts.set(counterId, count);
    }
    count.requests += 1;
    if (status >= 500) count.server_errors += 1;
    else if (status >= 400) count.client_errors += 1;
    return true;
  }

  /** Returns all counts in parts of at most `maxPartSize`, and starts again from zero. */
  take(maxPartSize: number): UsageCount[][] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return Array.from({ length: Math.ceil(counts.length / maxPartSize) }, (_, part) =>
      counts.slice(part * maxPartSize, (part + 1) * maxPartSize),
    );
  }
}
