import { batched, batcher, Coalescer } from './batch.ts';

/** A run that lasts until the test ends it. */
function controlled() {
  const batches: { items: readonly number[]; end: () => void }[] = [];
  const load = batched<number, number>(
    (items) => new Promise((resolve) => batches.push({ items, end: () => resolve(items.map((item) => item * 10)) })),
  );
  return { batches, load };
}

const tick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('calls of one event-loop tick are one batch, and each gets its own result', async () => {
  const { batches, load } = controlled();
  const answers = Promise.all([load(1), load(2), load(1)]);
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([[1, 2, 1]]);
  batches[0]?.end();
  expect(await answers).toEqual([10, 20, 10]);
});

test('at most two batches are in flight, and calls made meanwhile form the next one', async () => {
  const { batches, load } = controlled();
  const answers: Promise<number>[] = [];
  for (let item = 1; item <= 6; item++) {
    answers.push(load(item));
    await tick();
  }
  expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
  batches[1]?.end();
  await tick();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5, 6]]);
  for (const { end } of batches) end();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
});

test('of batches that keep apart the first starts at once, and later items wait for the next one', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const batches: (readonly number[])[] = [];
  const load = batched<number, number>(
    async (items) => {
      batches.push(items);
      return items;
    },
    { minApartMs: 100 },
  );
  for (const item of [1, 2, 3]) {
    void load(item);
    await tick();
    jest.advanceTimersByTime(40);
    await tick();
  }
  expect(batches).toEqual([[1], [2, 3]]);
  jest.advanceTimersByTime(100);
  void load(4);
  await tick();
  expect(batches).toEqual([[1], [2, 3], [4]]);
  jest.useRealTimers();
});

test('items linger for others, over ticks, and a full batch starts at once', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const batches: (readonly number[])[] = [];
  const load = batched<number, number>(
    async (items) => {
      batches.push(items);
      return items;
    },
    { lingerMs: 100, maxBatchSize: 3 },
  );
  void load(1);
  await tick();
  void load(2);
  await tick();
  expect(batches).toEqual([]);
  jest.advanceTimersByTime(100);
  await tick();
  expect(batches).toEqual([[1, 2]]);
  for (const item of [3, 4, 5]) void load(item);
  await tick();
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  jest.useRealTimers();
});

test('items linger for others, although a batch before them ends meanwhile', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const batches: (readonly number[])[] = [];
  const ended = Promise.withResolvers<void>();
  const load = batched<number, number>(
    async (items) => {
      batches.push(items);
      await ended.promise;
      return items;
    },
    { lingerMs: 100 },
  );
  void load(1);
  jest.advanceTimersByTime(100);
  const second = [load(2)];
  ended.resolve();
  await tick();
  second.push(load(3));
  jest.advanceTimersByTime(100);
  expect(await Promise.all(second)).toEqual([2, 3]);
  expect(batches).toEqual([[1], [2, 3]]);
  jest.useRealTimers();
});

test('nothing is cached: the same item is requested again', async () => {
  const { batches, load } = controlled();
  for (const place of [0, 1]) {
    const answer = load(7);
    await tick();
    batches[place]?.end();
    await answer;
  }
  expect(batches).toHaveLength(2);
});

test('a failed batch fails only its own calls, and the next one runs', async () => {
  let runs = 0;
  const load = batched<number, number>(async (items) => {
    if (++runs === 1) throw new Error('away');
    return items.map((item) => (item === 3 ? new Error('this item alone') : item));
  });
  const failed = await Promise.allSettled([load(1), load(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.allSettled([load(3), load(4)])).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 4 }]);
});

test('a batch with a wrong number of results fails: no call gets the result of another', async () => {
  const load = batched<number, number>(async (items) => items.slice(1));
  const failed = await Promise.allSettled([load(1), load(2)]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('the sizes in a batch add up to at most maxBatchSize; a larger item is a batch of its own', async () => {
  const batches: (readonly number[])[] = [];
  const ended = Promise.withResolvers<void>();
  const add = batcher<number>(
    async (items) => {
      batches.push(items);
      return () => {
        if (items.includes(1)) ended.resolve();
      };
    },
    { maxBatchSize: 100, sizeOf: (item) => item },
  );
  for (const size of [50, 50, 40, 500, 70, 30, 1]) add(size);
  await ended.promise;
  expect(batches).toEqual([[50, 50], [40], [500], [70, 30], [1]]);
});

test('results are handed out after the next batch has started', async () => {
  const order: string[] = [];
  const ended = Promise.withResolvers<void>();
  const add = batcher<number>(
    async ([item]) => {
      order.push(`start ${item}`);
      return () => {
        order.push(`hand out ${item}`);
        if (item === 2) ended.resolve();
      };
    },
    { maxInFlight: 1, maxBatchSize: 1 },
  );
  add(1);
  add(2);
  await ended.promise;
  expect(order).toEqual(['start 1', 'start 2', 'hand out 1', 'hand out 2']);
});

test('callers that arrive during a run share the next one, which does the work of the last', async () => {
  const coalescer = new Coalescer<string>();
  const first = Promise.withResolvers<string>();
  const begun: string[] = [];
  const ask = (name: string, result: Promise<string> = Promise.resolve(name)) =>
    coalescer.ask('key', () => {
      begun.push(name);
      return result;
    });
  const results = [ask('first', first.promise), ask('second'), ask('third')];
  first.resolve('first');
  expect(await Promise.all(results)).toEqual(['first', 'third', 'third']);
  expect(begun).toEqual(['first', 'third']);
});

test('a run that fails fails for its own callers alone', async () => {
  const coalescer = new Coalescer<string>();
  const failing = coalescer.ask('key', () => Promise.reject(new Error('away')));
  const next = coalescer.ask('key', async () => 'answered');
  await expect(failing).rejects.toThrow('away');
  expect(await next).toBe('answered');
});

test('other keys do not wait', async () => {
  const coalescer = new Coalescer<string>();
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = coalescer.ask('one', () => promise);
  expect(await coalescer.ask('other', async () => 'answered')).toBe('answered');
  resolve('answered later');
  expect(await waiting).toBe('answered later');
});
