import { LargeBodies } from './large-bodies.ts';

/** Work that ends when it is told to. */
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

test('as many as have room are in hand at once, and the one that waited longest is next', async () => {
  const bodies = new LargeBodies({ atOnce: 2, waitMs: 60_000 });
  const works = Array.from({ length: 4 }, work);
  const order: number[] = [];
  const held = works.map(({ run, started }, index) => {
    void started.then(() => order.push(index));
    return bodies.hold(run);
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

test('one that gets no room in time is refused, and leaves the room to others', async () => {
  const bodies = new LargeBodies({ atOnce: 1, waitMs: 1 });
  const [first, second, third] = [work(), work(), work()];
  const held = bodies.hold(first.run);
  await expect(bodies.hold(second.run)).rejects.toEqual(expect.objectContaining({ code: 'overloaded' }));
  first.end();
  await held;
  const later = bodies.hold(third.run);
  await third.started;
  third.end();
  await later;
});
