import { LargeBodyLimit } from './large-body-limit.ts';

/** Work that the test ends. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  return {
    run: async () => {
      started.resolve();
      await promise;
    },
    started: started.promise,
    end: resolve,
    fail: reject,
  };
}

test('at most `concurrency` bodies are processed at once, and the longest waiting is next', async () => {
  const bodies = new LargeBodyLimit({ concurrency: 2, maxWaitMs: 60_000 });
  const works = Array.from({ length: 4 }, work);
  const order: number[] = [];
  const held = works.map(({ run, started }, index) => {
    void started.then(() => order.push(index));
    return bodies.run(run);
  });
  await works[1]?.started;
  expect(order).toEqual([0, 1]);
  works[1]?.end();
  await works[2]?.started;
  expect(order).toEqual([0, 1, 2]);
  works[0]?.fail(new Error('gone'));
  await works[3]?.started;
  for (const { end } of works) end();
  expect((await Promise.allSettled(held)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});

test('a body that waits longer than maxWaitMs is refused as overloaded, and its place goes to others', async () => {
  const bodies = new LargeBodyLimit({ concurrency: 1, maxWaitMs: 1 });
  const [first, second, third] = [work(), work(), work()];
  const held = bodies.run(first.run);
  await expect(bodies.run(second.run)).rejects.toEqual(expect.objectContaining({ code: 'overloaded' }));
  first.end();
  await held;
  const later = bodies.run(third.run);
  await third.started;
  third.end();
  await later;
});
