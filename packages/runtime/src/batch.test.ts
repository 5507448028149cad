import { gathered } from './gather.ts';

/** A run that is under way until it is told to end. */
function controlled() {
  const batches: { items: readonly number[]; end: () => void }[] = [];
  const load = gathered<number, number>(
    (items) => new Promise((resolve) => batches.push({ items, end: () => resolve(items.map((item) => item * 10)) })),
  );
  return { batches, load };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('calls of one turn are one batch, and each gets its own answer', async () => {
  const { batches, load } = controlled();
  const answers = Promise.all([load(1), load(2), load(1)]);
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 1]]);
  batches[0]?.end();
  expect(await answers).toEqual([10, 20, 10]);
});

test('two batches are under way at most: what is asked meanwhile becomes the next one, however many turns it takes', async () => {
  const { batches, load } = controlled();
  const answers: Promise<number>[] = [];
  for (let item = 1; item <= 6; item++) {
    answers.push(load(item));
    await turn();
  }
  expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
  batches[1]?.end();
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5, 6]]);
  for (const { end } of batches) end();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
});

test('nothing is remembered: the same item is asked for anew', async () => {
  const { batches, load } = controlled();
  for (const place of [0, 1]) {
    const answer = load(7);
    await turn();
    batches[place]?.end();
    await answer;
  }
  expect(batches).toHaveLength(2);
});

test('a batch that fails fails its own calls only, and the next one goes on', async () => {
  let runs = 0;
  const load = gathered<number, number>(async (items) => {
    if (++runs === 1) throw new Error('away');
    return items.map((item) => (item === 3 ? new Error('this item alone') : item));
  });
  const failed = await Promise.allSettled([load(1), load(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.allSettled([load(3), load(4)])).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 4 }]);
});
