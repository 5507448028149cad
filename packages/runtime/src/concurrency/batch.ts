interface BatchLimits<T> {
  /** How long an item waits for others to fill a batch; default: until the end of the event-loop tick. */
  readonly lingerMs?: number;
  /** Batches of a tick begin at least so long after each other: a single item does not wait, and many share batches. */
  readonly minApartMs?: number;
  /** Default 2. */
  readonly maxInFlight?: number;
  /** Limit of the sum of sizes; default 500. A larger item is a batch of its own. */
  readonly maxBatchSize?: number;
  /** Default 1: a batch's size is its number of items. */
  readonly sizeOf?: (item: T) => number;
}

/**
 * Collects the items of one event-loop tick (or of `lingerMs`), and those that come while `maxInFlight` batches are in
 * flight, so that batches grow with the load. `run` never rejects. The function that it resolves to is called once the
 * next batch has started: it hands the results out.
 */
export function batcher<T>(
  run: (items: readonly T[]) => Promise<() => void>,
  { lingerMs = 0, minApartMs = 0, maxInFlight = 2, maxBatchSize = 500, sizeOf = () => 1 }: BatchLimits<T> = {},
): (item: T) => void {
  const items: T[] = [];
  let inFlight = 0;
  let isScheduled = false;
  /** Monotonic milliseconds. */
  let nextAt = 0;
  const takeBatch = () => {
    let count = 0;
    for (let size = 0; count < items.length; count++) {
      size += sizeOf(items[count] as T);
      if (count > 0 && size > maxBatchSize) break;
    }
    return items.splice(0, count);
  };
  const startBatches = () => {
    isScheduled = false;
    if (minApartMs > 0) nextAt = performance.now() + minApartMs;
    while (inFlight < maxInFlight && items.length > 0) {
      inFlight++;
      void run(takeBatch()).then((handOut) => {
        inFlight--;
        // Items that linger for others are not cut short by the end of an earlier batch.
        if (!isScheduled) startBatches();
        handOut();
      });
    }
  };
  return (item) => {
    items.push(item);
    if (inFlight >= maxInFlight) return;
    if (items.length >= maxBatchSize) return startBatches();
    if (isScheduled) return;
    isScheduled = true;
    const waitMs = minApartMs > 0 ? nextAt - performance.now() : lingerMs;
    if (waitMs > 0) setTimeout(startBatches, waitMs);
    else setImmediate(startBatches);
  };
}

interface Call<K, V> {
  readonly item: K;
  readonly resolve: (result: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches calls (see `batcher`). Nothing is cached. `run` returns one result per item, in order; an Error fails only
 * that item.
 */
export function batched<K, V>(
  run: (items: readonly K[]) => Promise<readonly (V | Error)[]>,
  limits?: Omit<BatchLimits<unknown>, 'sizeOf'>,
): (item: K) => Promise<V> {
  const runCalls = async (calls: readonly Call<K, V>[]) => {
    try {
      const results = await run(calls.map(({ item }) => item));
      if (results.length !== calls.length) throw new TypeError(`${results.length} results of a batch of ${calls.length}`);
      return () => {
        results.forEach((result, index) => {
          const call = calls[index] as Call<K, V>;
          if (result instanceof Error) call.reject(result);
          else call.resolve(result);
        });
      };
    } catch (error) {
      return () => {
        for (const { reject } of calls) reject(error);
      };
    }
  };
  const add = batcher(runCalls, limits);
  return (item) => new Promise((resolve, reject) => add({ item, resolve, reject }));
}

const batchBytes = 256 * 1024;

/** An item with a size in bytes. */
export interface Sized {
  readonly size: number;
}

/** The writable side of a gRPC stream. After `write` has returned false, wait for 'drain'. */
interface Outlet<Message> {
  write(message: Message): boolean;
  on(event: 'drain', listener: () => void): unknown;
  end(): unknown;
}

/**
 * Writes all items of one event-loop tick as one message, because a message costs about as much as forty frames.
 * Items are held while the other side does not read; the owner must watch `heldBytes` and stop pushing.
 */
export class FrameBatcher<Item extends Sized, Message> {
  readonly #outlet: Outlet<Message>;
  readonly #pack: (items: readonly Item[]) => Message;
  #items: Item[] = [];
  #scheduled = false;
  #blocked = false;
  #ending = false;
  heldBytes = 0;

  constructor(outlet: Outlet<Message>, pack: (items: readonly Item[]) => Message) {
    this.#outlet = outlet;
    this.#pack = pack;
    outlet.on('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
  }

  /** Ignored after `end`. */
  push(item: Item): void {
    if (this.#ending) return;
    this.#items.push(item);
    this.heldBytes += item.size;
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  /** Writes what is left, then ends the stream. */
  end(): void {
    if (this.#ending) return;
    this.#ending = true;
    this.#flush();
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    while (this.#items.length > 0 && !this.#blocked) this.#blocked = !this.#outlet.write(this.#pack(this.#nextBatch()));
    if (this.#ending && this.#items.length === 0) this.#outlet.end();
  };

  #nextBatch(): readonly Item[] {
    if (this.heldBytes <= batchBytes) {
      const all = this.#items;
      this.#items = [];
      this.heldBytes = 0;
      return all;
    }
    let bytes = 0;
    let count = 0;
    for (const { size } of this.#items) {
      if (count > 0 && bytes + size > batchBytes) break;
      bytes += size;
      count++;
    }
    this.heldBytes -= bytes;
    return this.#items.splice(0, count);
  }
}

interface InFlight<T> {
  readonly running: Promise<T>;
  next?: Promise<T>;
  nextWork?: () => Promise<T>;
}

/**
 * Coalesces equal requests: one runs per key at a time. Callers that arrive during a run share the next one. So no
 * result is older than its call, and any number of callers cost as much as two.
 */
export class Coalescer<T> {
  readonly #inFlight = new Map<string, InFlight<T>>();

  /**
   * `work` does the same for equal keys, within its own caller's deadline. Callers that share a run get the work of the
   * last one, which usually has the latest deadline.
   */
  ask(key: string, work: () => Promise<T>): Promise<T> {
    const current = this.#inFlight.get(key);
    if (current === undefined) return this.#start(key, work);
    current.nextWork = work;
    current.next ??= ended(current.running).then(() => this.#start(key, current.nextWork ?? work));
    return current.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current: InFlight<T> = { running: work() };
    this.#inFlight.set(key, current);
    void ended(current.running).then(() => {
      if (current.next === undefined) this.#inFlight.delete(key);
    });
    return current.running;
  }
}

const ended = (running: Promise<unknown>): Promise<unknown> => running.catch(() => undefined);
