import { batched } from '@webkiln/runtime';
import { runAtLeastOnce, runInTransactionOnce, runTogetherOnce } from '@webkiln/store';
import type { Handling, RunOnce } from './handle-message.ts';
import type { Message } from './read-message.ts';

/** How a consumer's handler runs: once for each event, alone or with those that wait beside it. */
export function runnerOf<M extends Message>(name: string, handling: Handling<M>, concurrency: number): RunOnce<M> {
  const keyOf = ({ id }: M) => `${name} ${id}`;
  if ('atLeastOnceHandler' in handling) return (event) => runAtLeastOnce(keyOf(event), () => handling.atLeastOnceHandler(event));
  if ('transactionalHandler' in handling) {
    return (event) => runInTransactionOnce(keyOf(event), (session) => handling.transactionalHandler(event, session));
  }
  const runTogether = (events: readonly M[]) => runTogetherOnce(events, keyOf, handling.transactionalBatchHandler);
  const runAlone = async (event: M) => {
    const [isDone] = await runTogether([event]);
    return isDone === true;
  };
  const run = async (events: readonly M[]): Promise<readonly (boolean | Error)[]> => {
    try {
      return await runTogether(events);
    } catch (error) {
      if (events.length === 1) throw error;
    }
    const results: (boolean | Error)[] = [];
    for (const event of events) results.push(await runAlone(event).catch((error: Error) => error));
    return results;
  };
  return batched(run, { maxInFlight: 1, maxBatchSize: concurrency });
}
