import { WorkerPool } from './worker-pool.ts';

const program = new URL('../testing/answering-worker.ts', import.meta.url);
const poolOf = (timeoutMs: number, threads = 2) => new WorkerPool<number | string, number>({ program, threads, timeoutMs, maxHeapMb: 64 });

let pool: WorkerPool<number | string, number>;
afterEach(() => pool.close());

test('work is answered each with its own answer, also when more comes than there are threads', async () => {
  pool = poolOf(60_000);
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  expect(await Promise.all(numbers.map((number) => pool.run('a', number)))).toEqual(numbers.map((number) => number * 2));
});

test('work that takes too long, or throws, ends with an error, and the next work is done', async () => {
  pool = poolOf(5_000, 1);
  await expect(pool.run('a', 'spin')).rejects.toThrow();
  await expect(pool.run('a', 'throw')).rejects.toThrow('thrown in the thread');
  expect(await pool.run('a', 2)).toBe(4);
});

test('while one key has work that never ends, and more of it, the work of others is done', async () => {
  pool = poolOf(600_000);
  const ended = Promise.allSettled([pool.run('a', 'spin'), pool.run('a', 'spin')]);
  expect(await pool.run('b', 2)).toBe(4);
  expect(await pool.run('b', 3)).toBe(6);
  await pool.close();
  expect(await ended).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
});
