import { AddressRateLimiter } from './address-rate-limiter.ts';

const minute = 60_000;
const start = 29_000_000 * minute;

test('an address may send the configured number of views in a minute; refused views are not counted', () => {
  const limit = new AddressRateLimiter(100);
  expect(limit.consume('a', 60, start)).toBe(0);
  expect(limit.consume('a', 41, start + 1000)).toBe(59);
  expect(limit.consume('a', 40, start + 2000)).toBe(0);
  expect(limit.consume('a', 1, start + 59_900)).toBe(1);
  expect(limit.consume('b', 100, start + 59_900)).toBe(0);
});

test('a new minute does not reset the limit: views of the previous minute count in proportion', () => {
  const limit = new AddressRateLimiter(100);
  limit.consume('a', 100, start + minute - 1);
  expect(limit.consume('a', 1, start + minute)).toBe(60);
  expect(limit.consume('a', 50, start + minute + minute / 2)).toBe(0);
  expect(limit.consume('a', 1, start + minute + minute / 2)).toBe(30);
  expect(limit.consume('a', 100, start + 3 * minute)).toBe(0);
});

test('the wait that is returned is long enough', () => {
  const limit = new AddressRateLimiter(100);
  limit.consume('a', 100, start);
  const wait = limit.consume('a', 1, start + 10_000);
  expect(limit.consume('a', 100, start + 10_000 + (wait + 60) * 1000)).toBe(0);
});
