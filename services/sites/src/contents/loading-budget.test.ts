import { LoadingBudget } from './loading-budget.ts';

/** Work that goes on until it is released. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  const work = () => {
    begun = true;
    return promise;
  };
  return { work, release: resolve, begun: () => begun };
}

test('work waits in its turn for the bytes of the work before it', async () => {
  const budget = new LoadingBudget(100);
  const [first, second, third] = [heldWork(), heldWork(), heldWork()];
  const all = [budget.within(60, first.work), budget.within(60, second.work), budget.within(10, third.work)];
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

test('work that fails gives its bytes back', async () => {
  const budget = new LoadingBudget(100);
  await expect(budget.within(100, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await budget.within(100, async () => 'done')).toBe('done');
});

test('work larger than the budget is done alone', async () => {
  const budget = new LoadingBudget(100);
  const held = heldWork();
  const alone = budget.within(500, held.work);
  const next = heldWork();
  const after = budget.within(1, next.work);
  await new Promise(setImmediate);
  expect([held.begun(), next.begun()]).toEqual([true, false]);
  held.release();
  next.release();
  await Promise.all([alone, after]);
});

test('when a thousand wait, further ones are told to come again', async () => {
  const budget = new LoadingBudget(1);
  const held = heldWork();
  const first = budget.within(1, held.work);
  const waiting = Array.from({ length: 1000 }, () => budget.within(1, async () => undefined));
  await expect(budget.within(1, async () => undefined)).rejects.toMatchObject({ code: 'overloaded' });
  held.release();
  await Promise.all([first, ...waiting]);
});
