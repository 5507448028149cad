import { countAttempt } from './login-attempts.ts';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const minutes = 60_000;
const limited = expect.objectContaining({ code: 'rate_limited' });
const tried = (times: readonly Date[]) => times.reduce<Date[]>((failed, at) => countAttempt(failed, at), []);

test('after twenty failed attempts within ten minutes the next is refused until the first is ten minutes old', () => {
  const twenty = tried(Array.from({ length: 20 }, (_, second) => after(second * 1000)));
  expect(() => countAttempt(twenty, after(10 * minutes - 1))).toThrow(limited);
  expect(countAttempt(twenty, after(10 * minutes))).toHaveLength(20);
  expect(() => countAttempt(countAttempt(twenty, after(10 * minutes)), after(10 * minutes))).toThrow(limited);
});

test('failures outside the window are dropped, so that the record does not grow', () => {
  expect(tried([start, after(minutes), after(20 * minutes)])).toEqual([after(20 * minutes)]);
});
