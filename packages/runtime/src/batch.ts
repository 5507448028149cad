import DataLoader from 'dataloader';

const inFlightMost = 2;
const batchMost = 500;

/**
 * Gathers calls into batches: those of one event-loop turn (or of `lingerMs`), and those made while two batches are under way, so that
 * batches grow with the load. Nothing is cached. `run` answers each item at its own place, with an Error where that item alone failed.
 */
export function gathered<K, V>(
  run: (items: readonly K[]) => Promise<readonly (V | Error)[]>,
  { lingerMs = 0 }: { lingerMs?: number } = {},
): (item: K) => Promise<V> {
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  const next = () => {
    if (inFlight >= inFlightMost) return;
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
      maxBatchSize: batchMost,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        if (lingerMs > 0) setTimeout(next, lingerMs);
        else setImmediate(next);
      },
    },
  );
  return (item) => loader.load(item);
}
