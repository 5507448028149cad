import { randomBytes } from 'node:crypto';
import { Deduplicator, IdSet, windowMs } from './deduplicator.ts';

const event = () => randomBytes(8).toString('base64url');
const start = 1_000 * windowMs;

test.each([0, 1, windowMs - 1, windowMs])('an event that is repeated %i ms later is a duplicate', (laterMs) => {
  for (const offset of [0, windowMs / 2, windowMs - 1]) {
    const [deduplicator, id] = [new Deduplicator(), event()];
    expect(deduplicator.isDuplicate(id, start + offset)).toBe(false);
    expect(deduplicator.isDuplicate(id, start + offset + laterMs)).toBe(true);
  }
});

test('an event that is repeated more than 20 minutes later counts again', () => {
  const [deduplicator, id] = [new Deduplicator(), event()];
  deduplicator.isDuplicate(id, start);
  expect(deduplicator.isDuplicate(id, start + 2 * windowMs)).toBe(false);
});

test('views without an event id are not duplicates', () => {
  const deduplicator = new Deduplicator();
  expect([deduplicator.isDuplicate('', start), deduplicator.isDuplicate('', start)]).toEqual([false, false]);
});

test('a clock that goes back forgets no event', () => {
  const [deduplicator, id] = [new Deduplicator(), event()];
  deduplicator.isDuplicate(id, start);
  expect(deduplicator.isDuplicate(id, start - 5 * windowMs)).toBe(true);
});

test('a reader that starts one window earlier reaches the same decisions', () => {
  const ids = Array.from({ length: 500 }, event);
  const read = Array.from({ length: 5_000 }, (_, index) => ({ id: ids[(index * 7919) % 500] ?? '', at: start + index * 1_000 }));
  const from = start + 3 * windowMs;
  const [whole, late] = [new Deduplicator(), new Deduplicator()];
  const expected = read.map(({ id, at }) => [at, whole.isDuplicate(id, at)] as const);
  const again = read.filter(({ at }) => at >= from - windowMs).map(({ id, at }) => [at, late.isDuplicate(id, at)] as const);
  expect(again.filter(([at]) => at >= from)).toEqual(expected.filter(([at]) => at >= from));
});

test('an id set contains exactly the ids that were added, however much it has grown', () => {
  const set = new IdSet();
  const ids = Array.from({ length: 20_000 }, () => [randomBytes(4).readUInt32BE(), randomBytes(4).readUInt32BE()] as const);
  const [inside, outside] = [[...ids.slice(0, 10_000), [0, 0] as const, [0, 1] as const, [1, 0] as const], ids.slice(10_000)];
  for (const [high, low] of [...inside, ...inside]) set.add(high, low);
  expect(set.size).toBe(inside.length);
  expect(inside.every(([high, low]) => set.has(high, low))).toBe(true);
  expect(outside.some(([high, low]) => set.has(high, low))).toBe(false);
});
