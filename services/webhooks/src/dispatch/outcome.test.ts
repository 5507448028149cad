import { nextAttemptAt } from './outcome.ts';

const now = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;
const day = 24 * 3600_000;
const waits = [5_000, 5 * minute];

test.each([
  [1, 0, 4_500],
  [1, 0.5, 5_000],
  [1, 1, 5_500],
  [2, 0.5, 5 * minute],
])('after attempt %p with random value %p the next one is due %p ms after its end', (made, random, waitMs) => {
  expect(nextAttemptAt(waits, made, now, undefined, random)).toBe(now + waitMs);
});

test('there is no attempt after the last wait', () => {
  expect(nextAttemptAt(waits, 3, now, '1')).toBeUndefined();
});

test.each([
  ['seconds that are more', '60', 60_000],
  ['seconds that are less', '1', 5_000],
  ['a date', 'Thu, 01 Jan 2026 12:02:00 GMT', 2 * minute],
  ['a date gone by', 'Thu, 01 Jan 2025 12:02:00 GMT', 5_000],
  ['more than a day', '999999', day],
  ['a date far away', 'Thu, 01 Jan 2099 12:00:00 GMT', day],
  ['nonsense', 'soon', 5_000],
  ['a negative number', '-5', 5_000],
])('the later of the schedule and a Retry-After of %s counts', (_of, retryAfter, waitMs) => {
  expect(nextAttemptAt(waits, 1, now, retryAfter, 0.5)).toBe(now + waitMs);
});
