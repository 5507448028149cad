import DataLoader from 'dataloader';

const maxInFlight = 2;
const maxBatchSize = 500;

/**
 * Batches the calls of one event-loop tick (or of `lingerMs`), and those made while two batches are in flight, so that
 * batches grow with the load. Nothing is cached. `run` returns one result per item, in order; an Error fails only that
 * item.
 */
export function batched<K, V>(
  run: (items: readonly K[]) => Promise<readonly (V | Error)[]>,
  { lingerMs = 0 }: { lingerMs?: number } = {},
): (item: K) => Promise<V> {
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  const next = () => {
    if (inFlight >= maxInFlight) return;
    const dispatch = waiting.shift();
    if (dispatch === undefined) return;
    inFlight++;
    dispatch();
  };
  const loader = new DataLoader<K, V>(
    async (items) => {
      try {
        return await run(items);
      } finally {
        inFlight--;
        next();
      }
    },
    {
      cache: false,
      maxBatchSize: maxBatchSize,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        if (lingerMs > 0) setTimeout(next, lingerMs);
        else setImmediate(next);
      },
    },
  );
  return (item) => loader.load(item);
}
