import { randomUUID } from 'node:crypto';
import type { AnsweredRequest, RequestBatch, UsageCount } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';

const flushEveryMs = 1000;
const batchMost = 500;
/** What waits while NATS is away, some 5 MB; what comes beyond is dropped: nothing may be slowed by a log. */
const waitingMost = 10_000;
const dayMs = 24 * 3600_000;
const tooMany = 429;

const droppedTotal = counter({
  name: 'webkiln_request_log_dropped_total',
  help: 'Requests that are in no log and no usage, because too many waited',
});

interface OpenBatch {
  readonly dayNumber: number;
  readonly requests: AnsweredRequest[];
  readonly usage: Map<string, UsageCount & { refused: boolean }>;
}

interface Options {
  /** Resolves when a batch is kept for good; one that was may come again. */
  readonly publish: (batch: RequestBatch) => Promise<void>;
  /** For tests: how many may wait. */
  readonly most?: number;
}

/** Gathers what this gateway answers and tells of it once a second: one message for up to 500 requests. */
export class RequestLog {
  readonly #publish: Options['publish'];
  readonly #most: number;
  readonly #sealed: RequestBatch[] = [];
  readonly #timer = setInterval(() => void this.flush(), flushEveryMs).unref();
  #open = newBatch(0);
  #waiting = 0;
  #sending: Promise<void> | undefined;
  #isAway = false;

  constructor({ publish, most = waitingMost }: Options) {
    this.#publish = publish;
    this.#most = most;
  }

  /** Takes note of an answer. All are counted; of those beyond a credential's limit the first of a batch alone is in the log. */
  record(request: AnsweredRequest): void {
    const dayNumber = Math.floor(request.at / dayMs);
    if (dayNumber !== this.#open.dayNumber) this.#seal(dayNumber);
    const { usage, requests } = this.#open;
    const { org_id, kind, credential, status } = request;
    const key_id = kind === 'api_key' ? credential : null;
    const counted = key_id ?? org_id;
    let count = usage.get(counted);
    const isRefusal = status === tooMany;
    if (count?.refused !== true || !isRefusal) {
      if (this.#waiting >= this.#most) return void droppedTotal.inc();
      if (count === undefined) {
        count = { org_id, key_id, requests: 0, client_errors: 0, server_errors: 0, refused: false };
        usage.set(counted, count);
      }
      count.refused ||= isRefusal;
      requests.push(request);
      this.#waiting += 1;
    }
    count.requests += 1;
    if (status >= 500) count.server_errors += 1;
    else if (status >= 400) count.client_errors += 1;
    if (requests.length >= batchMost) void this.flush();
  }

  /** Resolves when all that was recorded is kept, or the first batch that cannot be is left for the next time. */
  async flush(): Promise<void> {
    this.#seal(this.#open.dayNumber);
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #seal(nextDay: number): void {
    const { requests, usage, dayNumber } = this.#open;
    this.#open = newBatch(nextDay);
    if (requests.length === 0) return;
    const day = new Date(dayNumber * dayMs).toISOString().slice(0, 10);
    const counts = [...usage.values()].map(({ refused: _refused, ...count }) => count);
    this.#sealed.push({ id: randomUUID(), type: 'requests.answered', day, requests, usage: counts });
  }

  /** One after the other, so that little of the connection is theirs. */
  async #send(): Promise<void> {
    for (let batch = this.#sealed[0]; batch !== undefined; batch = this.#sealed[0]) {
      try {
        await this.#publish(batch);
        this.#isAway = false;
      } catch (error) {
        if (!this.#isAway) logger.warn({ err: error, requests: this.#waiting }, 'the log of requests waits');
        this.#isAway = true;
        return;
      }
      this.#sealed.shift();
      this.#waiting -= batch.requests.length;
    }
  }
}

const newBatch = (dayNumber: number): OpenBatch => ({ dayNumber, requests: [], usage: new Map() });
