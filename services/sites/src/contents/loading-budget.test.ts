import { LoadingBudget } from './loading-budget.ts';

/** Work that runs until it is released. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  const work = () => {
    begun = true;
    return promise;
  };
  return { work, release: resolve, begun: () => begun };
}

test('work waits in order for the bytes of earlier work', async () => {
  const budget = new LoadingBudget(100);
  const [first, second, third] = [heldWork(), heldWork(), heldWork()];
  const all = [budget.run(60, first.work), budget.run(60, second.work), budget.run(10, third.work)];
  await new Promise(setImmediate);
  expect([first.begun(), second.begun(), third.begun()]).toEqual([true, false, false]);
  first.release();
  await all[0];
  await new Promise(setImmediate);
  expect([second.begun(), third.begun()]).toEqual([true, true]);
  second.release();
  third.release();
  await Promise.all(all);
});

test('failed work releases its bytes', async () => {
  const budget = new LoadingBudget(100);
  await expect(budget.run(100, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await budget.run(100, async () => 'done')).toBe('done');
});

test('work larger than the budget runs alone', async () => {
  const budget = new LoadingBudget(100);
  const held = heldWork();
  const alone = budget.run(500, held.work);
  const next = heldWork();
  const after = budget.run(1, next.work);
  await new Promise(setImmediate);
  expect([held.begun(), next.begun()]).toEqual([true, false]);
  held.release();
  next.release();
  await Promise.all([alone, after]);
});

test('beyond a thousand waiting, work is refused as overloaded', async () => {
  const budget = new LoadingBudget(1);
  const held = heldWork();
  const first = budget.run(1, held.work);
  const waiting = Array.from({ length: 1000 }, () => budget.run(1, async () => undefined));
  await expect(budget.run(1, async () => undefined)).rejects.toMatchObject({ code: 'overloaded' });
  held.release();
  await Promise.all([first, ...waiting]);
});
