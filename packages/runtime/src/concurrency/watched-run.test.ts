import { register } from 'prom-client';
import { logger } from '../logger.ts';
import { repeat } from '../retry.ts';
import { type Run, watched, workersCheck } from './watched-run.ts';

beforeAll(() => {
  logger.level = 'silent';
});

const never = new Promise<void>(() => undefined);
const restarts = async () => (await register.getSingleMetric('webkiln_worker_restarts_total')?.get())?.values[0]?.value ?? 0;

test('work that stands still is started again, and the process is not ready until it makes progress', async () => {
  const stopping = new AbortController();
  const failures: string[] = [];
  const given: boolean[] = [];
  const readiness: unknown[] = [];
  const before = await restarts();
  let runs = 0;
  const work = async (run: Run) => {
    run.signal.addEventListener('abort', () => given.push(run.signal.aborted));
    if (++runs <= 2) await never;
    try {
      workersCheck();
    } catch (error) {
      readiness.push((error as Error).message);
    }
    run.progress();
    workersCheck();
    stopping.abort();
  };
  const onFailure = (error: unknown) => failures.push((error as Error).message);
  await repeat(work, { worker: 'work', maxSilenceMs: 20, signal: stopping.signal, delayMs: 0, onFailure });
  expect(failures).toEqual(Array(2).fill('work made no progress for 20 ms'));
  expect(readiness).toEqual(['no progress: work']);
  expect((await restarts()) - before).toBe(2);
  expect(given.slice(0, 2)).toEqual([true, true]);
});

test('work that says that it goes on is not given up, however long it takes', async () => {
  jest.useFakeTimers();
  try {
    const working = Promise.withResolvers<void>();
    let progress = () => {};
    const work = (run: Run) => {
      progress = run.progress;
      return working.promise;
    };
    const ended = watched(work, { worker: 'long work', maxSilenceMs: 1_000, signal: new AbortController().signal });
    for (let step = 0; step < 100; step++) {
      jest.advanceTimersByTime(999);
      progress();
    }
    working.resolve();
    await ended;
  } finally {
    jest.useRealTimers();
  }
});
