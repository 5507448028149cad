interface BatchLimits<T> {
  /** How long an item waits for others; default: until the end of the event-loop tick. */
  readonly lingerMs?: number;
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
  { lingerMs = 0, maxInFlight = 2, maxBatchSize = 500, sizeOf = () => 1 }: BatchLimits<T> = {},
): (item: T) => void {
  const items: T[] = [];
  let inFlight = 0;
  let isScheduled = false;
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
    while (inFlight < maxInFlight && items.length > 0) {
      inFlight++;
      void run(takeBatch()).then((handOut) => {
        inFlight--;
        startBatches();
        handOut();
      });
    }
  };
  return (item) => {
    items.push(item);
    if (isScheduled || inFlight >= maxInFlight) return;
    isScheduled = true;
    if (lingerMs > 0) setTimeout(startBatches, lingerMs);
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
