import { countAccountAttempt, countAttempt, delayMs, maxAccountFailures } from './login-attempts.ts';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const minutes = 60_000;
const limited = expect.objectContaining({ code: 'rate_limited' });
const tried = (times: readonly Date[], max = 20) => times.reduce<Date[]>((failed, at) => countAttempt(failed, at, max), []);

test.each([10, 20])('after %i failed attempts within ten minutes the next is refused until the first is ten minutes old', (max) => {
  const all = tried(
    Array.from({ length: max }, (_, second) => after(second * 1000)),
    max,
  );
  expect(() => countAttempt(all, after(10 * minutes - 1), max)).toThrow(limited);
  expect(countAttempt(all, after(10 * minutes), max)).toHaveLength(max);
  expect(() => countAttempt(countAttempt(all, after(10 * minutes), max), after(10 * minutes), max)).toThrow(limited);
});

test('failures outside the window are dropped, so that the record does not grow', () => {
  expect(tried([start, after(minutes), after(20 * minutes)])).toEqual([after(20 * minutes)]);
});

test('failures of an account over all networks refuse nobody, and the newest are kept', () => {
  const times = Array.from({ length: 1000 }, (_, at) => after(at));
  const kept = times.reduce<readonly Date[]>((failed, at) => countAccountAttempt(failed, at), []);
  expect(kept).toHaveLength(maxAccountFailures);
  const later = countAccountAttempt(kept, after(minutes));
  expect([later.length, later.at(-1)]).toEqual([maxAccountFailures, after(minutes)]);
});

test('an account is slowed by failures from other networks alone, up to ten seconds', () => {
  expect([delayMs(5, 5), delayMs(6, 5), delayMs(9, 2), delayMs(40, 1)]).toEqual([0, 1000, 7000, 10_000]);
});
