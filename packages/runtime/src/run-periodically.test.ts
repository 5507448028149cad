import { setTimeout as pause } from 'node:timers/promises';
import { logger } from './logger.ts';
import { runPeriodically } from './run-periodically.ts';

beforeAll(() => {
  logger.level = 'silent';
});

test('work continues after a failure, never overlaps itself, and does not run after it is stopped', async () => {
  const stopped = Promise.withResolvers<void>();
  let [runs, running, maxRunning] = [0, 0, 0];
  const stop = runPeriodically({ everyMs: 1, name: 'the work' }, async () => {
    runs++;
    maxRunning = Math.max(maxRunning, ++running);
    await pause(5);
    running--;
    if (runs === 1) throw new Error('once');
    if (runs < 3) return;
    stop();
    stopped.resolve();
  });
  await stopped.promise;
  await pause(20);
  expect([runs, maxRunning]).toEqual([3, 1]);
});
