import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** A cache with a manual clock, whose loads are answered one by one. */
function testCache() {
  const clock = { now: 5_000 };
  const loads: { of: readonly string[]; answer: (text: string) => void; fail: (error: Error) => void }[] = [];
  const cache = new StaleWhileRevalidate(
    (...of: [string, string]) => {
      const { promise, resolve: answer, reject: fail } = Promise.withResolvers<string>();
      loads.push({ of, answer, fail });
      return promise;
    },
    { now: () => clock.now },
  );
  const last = () => {
    const load = loads.at(-1);
    if (load === undefined) throw new Error('nothing was loaded');
    return load;
  };
  /** Gets a value that is loaded at once. */
  const getLoaded = async (text: string) => {
    const got = cache.get('org', 'range');
    last().answer(text);
    return got;
  };
  return { clock, loads, cache, last, getLoaded, get: () => cache.get('org', 'range') };
}

/** Resolves when the cache has processed the last answer. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

test('equal concurrent requests share one load, and its value is fresh for a second', async () => {
  const { clock, loads, last, get } = testCache();
  const all = [get(), get(), get()];
  last().answer('first');
  expect(await Promise.all(all)).toEqual(['first', 'first', 'first']);
  clock.now += 999;
  expect([await get(), loads.length]).toEqual(['first', 1]);
});

test('organizations, and ranges of one organization, never share a value or a load', async () => {
  const { loads, cache } = testCache();
  const all = [cache.get('a', 'x'), cache.get('b', 'x'), cache.get('a', 'y'), cache.get('a","x', '')];
  for (const { of, answer } of loads) answer(`of ${of.join(' ')}`);
  expect(await Promise.all(all)).toEqual(['of a x', 'of b x', 'of a y', 'of a","x ']);
  expect(await cache.get('b', 'x')).toBe('of b x');
});

test('a value of one to three seconds is returned while it is refreshed once; the next request gets the refreshed value', async () => {
  const { clock, loads, last, get, getLoaded } = testCache();
  await getLoaded('first');
  clock.now += 2_999;
  expect([await get(), await get(), loads.length]).toEqual(['first', 'first', 2]);
  last().answer('second');
  await nextTick();
  expect([await get(), loads.length]).toEqual(['second', 2]);
});

test('a value of three seconds is not returned, also during a refresh; its age counts from the start of its load', async () => {
  const { clock, loads, last, get } = testCache();
  const first = get();
  clock.now += 1_000;
  last().answer('first');
  await first;
  clock.now += 1_999;
  expect(await get()).toBe('first');
  clock.now += 1;
  const next = get();
  last().answer('second');
  expect([await next, loads.length]).toEqual(['second', 2]);
});

test('a failed refresh is retried by the next request, and only requests that wait for it see the error', async () => {
  const { clock, loads, last, get, getLoaded } = testCache();
  await getLoaded('first');
  clock.now += 2_000;
  expect(await get()).toBe('first');
  last().fail(new Error('away'));
  await nextTick();
  expect([await get(), loads.length]).toEqual(['first', 3]);
  last().fail(new Error('away'));
  await nextTick();
  clock.now += 1_000;
  const waiting = get();
  last().fail(new Error('still away'));
  await expect(waiting).rejects.toThrow('still away');
  expect([await getLoaded('second'), loads.length]).toEqual(['second', 5]);
});

test('every request gets a value, however many other keys are requested meanwhile', async () => {
  const { loads, cache } = testCache();
  const all = Array.from({ length: 1_000 }, (_, index) => cache.get(`org-${index}`, 'x'));
  for (const { of, answer } of loads) answer(of[0] ?? '');
  expect(await Promise.all(all)).toEqual(Array.from({ length: 1_000 }, (_, index) => `org-${index}`));
});
