import { setImmediate as pendingIo } from 'node:timers/promises';
import { KeyedMutex, Semaphore } from './semaphore.ts';

const refusal = () => new Error('overloaded');

/** Work that the test ends. */
function heldWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let hasBegun = false;
  const run = () => {
    hasBegun = true;
    begun.resolve();
    return promise;
  };
  return { run, begun: begun.promise, hasBegun: () => hasBegun, end: resolve, fail: reject };
}

test('at most so many tasks run at once, and the longest waiting is next, also after a failure', async () => {
  const semaphore = new Semaphore({ permits: 2, maxWaitMs: 60_000 });
  const works = Array.from({ length: 4 }, heldWork);
  const order: number[] = [];
  const held = works.map(({ run, begun }, index) => {
    void begun.then(() => order.push(index));
    return semaphore.run(run);
  });
  await works[1]?.begun;
  expect(order).toEqual([0, 1]);
  works[1]?.end();
  await works[2]?.begun;
  expect(order).toEqual([0, 1, 2]);
  works[0]?.fail(new Error('gone'));
  await works[3]?.begun;
  for (const { end } of works) end();
  expect((await Promise.allSettled(held)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});

test('a task that waits longer than maxWaitMs is refused, and its place goes to others', async () => {
  const semaphore = new Semaphore({ permits: 2, maxWaitMs: 1, refusal });
  const [first, second, third] = [heldWork(), heldWork(), heldWork()];
  const held = semaphore.run(first.run);
  await expect(semaphore.run(second.run, 2)).rejects.toThrow('overloaded');
  const beside = semaphore.run(third.run);
  await third.begun;
  expect(second.hasBegun()).toBe(false);
  first.end();
  third.end();
  await Promise.all([held, beside]);
  expect(semaphore.free).toBe(2);
});

test('a refused task no longer blocks the ones behind it', async () => {
  const semaphore = new Semaphore({ permits: 2, maxWaitMs: 1, refusal });
  const [first, large, small] = [heldWork(), heldWork(), heldWork()];
  const held = semaphore.run(first.run);
  const refused = expect(semaphore.run(large.run, 2)).rejects.toThrow('overloaded');
  const after = semaphore.run(small.run);
  await Promise.all([refused, small.begun]);
  first.end();
  small.end();
  await Promise.all([held, after]);
});

test('tasks wait in order for the permits of earlier ones', async () => {
  const semaphore = new Semaphore({ permits: 100 });
  const [first, second, third] = [heldWork(), heldWork(), heldWork()];
  const all = [semaphore.run(first.run, 60), semaphore.run(second.run, 60), semaphore.run(third.run, 10)];
  await pendingIo();
  expect([first.hasBegun(), second.hasBegun(), third.hasBegun()]).toEqual([true, false, false]);
  first.end();
  await all[0];
  await pendingIo();
  expect([second.hasBegun(), third.hasBegun()]).toEqual([true, true]);
  second.end();
  third.end();
  await Promise.all(all);
});

test('failed work returns its permits', async () => {
  const semaphore = new Semaphore({ permits: 100 });
  await expect(semaphore.run(() => Promise.reject(new Error('away')), 100)).rejects.toThrow('away');
  expect(await semaphore.run(async () => 'done')).toBe('done');
  expect(semaphore.free).toBe(100);
});

test('work that needs more than all permits runs alone', async () => {
  const semaphore = new Semaphore({ permits: 100 });
  const [held, next] = [heldWork(), heldWork()];
  const alone = semaphore.run(held.run, 500);
  const after = semaphore.run(next.run);
  await pendingIo();
  expect([held.hasBegun(), next.hasBegun()]).toEqual([true, false]);
  held.end();
  next.end();
  await Promise.all([alone, after]);
});

test('beyond maxWaiting tasks, work is refused at once', async () => {
  const semaphore = new Semaphore({ permits: 1, maxWaiting: 1000, refusal });
  const held = heldWork();
  const first = semaphore.run(held.run);
  const waiting = Array.from({ length: 1000 }, () => semaphore.run(async () => undefined));
  await expect(semaphore.run(async () => undefined)).rejects.toThrow('overloaded');
  held.end();
  await Promise.all([first, ...waiting]);
});

test('whenFree resolves when so many permits are free, and holds none afterwards', async () => {
  const semaphore = new Semaphore({ permits: 3 });
  const works = [heldWork(), heldWork(), heldWork()];
  const held = works.map(({ run }) => semaphore.run(run));
  let isFree = false;
  const free = semaphore.whenFree(2).then(() => {
    isFree = true;
  });
  works[0]?.end();
  await pendingIo();
  expect(isFree).toBe(false);
  works[1]?.end();
  await free;
  expect(semaphore.free).toBe(2);
  works[2]?.end();
  await Promise.all(held);
});

test('work for one key runs one after another, also after a failure; work for another key runs meanwhile', async () => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const work = (key: string, name: string, fails = false) =>
    mutex.run(key, async () => {
      log.push(`${name} begins`);
      await pendingIo();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const outcomes = await Promise.allSettled([work('a', 'first', true), work('a', 'second'), work('b', 'other')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(log.filter((line) => !line.startsWith('other'))).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('first ends'));
  expect(await work('a', 'third')).toBe('third');
});
