import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { PollTimer } from './concurrency/poll-timer.ts';
import { logger } from './logger.ts';
import { pause, repeat, retry } from './retry.ts';
import { runPeriodically } from './run-periodically.ts';

describe('retry', () => {
  /** Fails `times` times, then returns the number of calls. */
  function failing(times: number) {
    let calls = 0;
    return async () => {
      if (++calls <= times) throw new Error(`failure ${calls}`);
      return calls;
    };
  }
  const isRetryable = () => true;

  test('retry returns the result of the first attempt that succeeds', async () => {
    expect(await retry(failing(3), { isRetryable })).toBe(4);
  });

  test('retry throws an error that is not retryable immediately', async () => {
    await expect(retry(failing(3), { isRetryable: () => false })).rejects.toThrow('failure 1');
  });

  test('retry gives up when the signal aborts, even between two attempts', async () => {
    const stopping = new AbortController();
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => {
      failures.push(error);
      setImmediate(() => stopping.abort());
    };
    const options = { delayMs: 3600_000, signal: stopping.signal, onFailure, exhausted: () => new Error('stopped') };
    await expect(retry(failing(3), options)).rejects.toThrow('stopped');
    await expect(retry(failing(3), options)).rejects.toThrow('stopped');
    expect(failures).toHaveLength(1);
  });

  test('an attempt and the delay before it get the number of failures', async () => {
    const seen: unknown[] = [];
    const attempt = async (failedAttempts: number) => {
      seen.push(failedAttempts);
      if (failedAttempts < 2) throw failedAttempts;
    };
    await retry(attempt, { delayMs: (...failure) => seen.push(failure) * 0 });
    expect(seen).toEqual([0, [1, 0], 1, [2, 1], 2]);
  });

  test('retry gives up after maxAttempts with the last error or the given one', async () => {
    await expect(retry(failing(9), { isRetryable, maxAttempts: 3 })).rejects.toThrow('failure 3');
    const exhausted = (cause: unknown) => new Error('gave up', { cause });
    await expect(retry(failing(9), { isRetryable, maxAttempts: 2, exhausted })).rejects.toMatchObject({
      message: 'gave up',
      cause: new Error('failure 2'),
    });
  });

  test('retry gives up at once when the next attempt would start after the deadline', async () => {
    const seen: unknown[] = [];
    const onFailure = (error: unknown) => seen.push(error);
    expect(await retry(failing(2), { deadlineAt: Date.now() + 120_000, delayMs: 1, onFailure })).toBe(3);
    await expect(retry(failing(1), { deadlineAt: Date.now() + 100, delayMs: 200, onFailure })).rejects.toThrow('failure 1');
    expect(seen).toHaveLength(2);
  });

  test('repeat continues after a failure and ends when the signal aborts, even during a pause', async () => {
    const stopping = new AbortController();
    const failures: unknown[] = [];
    const work = failing(2);
    const run = async () => {
      await work();
      setImmediate(() => stopping.abort());
      await pause(3600_000, stopping.signal);
    };
    await repeat(run, { worker: 'work', signal: stopping.signal, delayMs: 1, onFailure: (error) => failures.push(error) });
    expect(failures).toHaveLength(2);
  });

  test('repeat waits for its timer, which can be brought forward', async () => {
    const stopping = new AbortController();
    const timer = new PollTimer();
    let runs = 0;
    const run = async () => {
      timer.restart(Date.now() + 3600_000);
      if (++runs === 3) stopping.abort();
      else setImmediate(() => timer.pollBy(new Date()));
    };
    await repeat(run, { worker: 'work', signal: stopping.signal, timer, onFailure: () => {} });
    expect(runs).toBe(3);
  });
});

describe('run periodically', () => {
  beforeAll(() => {
    logger.level = 'silent';
  });

  test('work continues after a failure, never overlaps itself, and does not run after it is stopped', async () => {
    const stopped = Promise.withResolvers<void>();
    let [runs, running, maxRunning] = [0, 0, 0];
    const stop = runPeriodically({ everyMs: 1, name: 'the work' }, async () => {
      runs++;
      maxRunning = Math.max(maxRunning, ++running);
      await wait(5);
      running--;
      if (runs === 1) throw new Error('once');
      if (runs < 3) return;
      stop();
      stopped.resolve();
    });
    await stopped.promise;
    await wait(20);
    expect([runs, maxRunning]).toEqual([3, 1]);
  });
});

describe('give back', () => {
  /** Fills the young generation with objects that survive, rests, and ends once that is small again. */
  const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { giveBackAtRest } from '${new URL('./give-back.ts', import.meta.url)}';
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  giveBackAtRest(200);
  let kept = [];
  for (let made = 0; young() < 16_000_000; made++) {
    kept.push({ made });
    if (kept.length > 100_000) kept = [];
  }
  setInterval(() => young() < 8_000_000 && process.exit(), 20);
`;

  test('a process that rests gives back the memory of a busy time', async () => {
    const flags = ['--max-semi-space-size=16', '--gc-memory-reducer-start-delay-ms=50', '--input-type=module'];
    const child = spawn(process.execPath, [...flags, '--eval', program], { stdio: 'ignore', timeout: 60_000 });
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 70_000);
});
