import { AddressLimit } from './address-limit.ts';

const minute = 60_000;
const start = 29_000_000 * minute;

test('an address may send so many views in a minute; what is refused is not counted', () => {
  const limit = new AddressLimit(100);
  expect(limit.take('a', 60, start)).toBe(0);
  expect(limit.take('a', 41, start + 1000)).toBe(59);
  expect(limit.take('a', 40, start + 2000)).toBe(0);
  expect(limit.take('a', 1, start + 59_900)).toBe(1);
  expect(limit.take('b', 100, start + 59_900)).toBe(0);
});

test('the end of a minute does not give a whole new one: what was sent before counts as far as it reaches', () => {
  const limit = new AddressLimit(100);
  limit.take('a', 100, start + minute - 1);
  expect(limit.take('a', 1, start + minute)).toBe(60);
  expect(limit.take('a', 50, start + minute + minute / 2)).toBe(0);
  expect(limit.take('a', 1, start + minute + minute / 2)).toBe(30);
  expect(limit.take('a', 100, start + 3 * minute)).toBe(0);
});

test('it waits no longer than it says', () => {
  const limit = new AddressLimit(100);
  limit.take('a', 100, start);
  const wait = limit.take('a', 1, start + 10_000);
  expect(limit.take('a', 100, start + 10_000 + (wait + 60) * 1000)).toBe(0);
});
