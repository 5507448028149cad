import { randomBytes } from 'node:crypto';
import { IdSet } from './id-set.ts';
import { generationMs, Repeats } from './repeats.ts';

const event = () => randomBytes(8).toString('base64url');
const start = 1_000 * generationMs;

test.each([0, 1, generationMs - 1, generationMs])('an event that comes again %i ms later is a repeat', (laterMs) => {
  for (const offset of [0, generationMs / 2, generationMs - 1]) {
    const [repeats, id] = [new Repeats(), event()];
    expect(repeats.isRepeat(id, start + offset)).toBe(false);
    expect(repeats.isRepeat(id, start + offset + laterMs)).toBe(true);
  }
});

test('an event that comes again more than 20 minutes later counts again', () => {
  const [repeats, id] = [new Repeats(), event()];
  repeats.isRepeat(id, start);
  expect(repeats.isRepeat(id, start + 2 * generationMs)).toBe(false);
});

test('views without an event are no repeats', () => {
  const repeats = new Repeats();
  expect([repeats.isRepeat('', start), repeats.isRepeat('', start)]).toEqual([false, false]);
});

test('a clock that goes back forgets nothing', () => {
  const [repeats, id] = [new Repeats(), event()];
  repeats.isRepeat(id, start);
  expect(repeats.isRepeat(id, start - 5 * generationMs)).toBe(true);
});

test('who begins to read where the generation before began comes to the same verdicts', () => {
  const ids = Array.from({ length: 500 }, event);
  const read = Array.from({ length: 5_000 }, (_, index) => ({ id: ids[(index * 7919) % 500] ?? '', at: start + index * 1_000 }));
  const from = start + 3 * generationMs;
  const [whole, late] = [new Repeats(), new Repeats()];
  const told = read.map(({ id, at }) => [at, whole.isRepeat(id, at)] as const);
  const again = read.filter(({ at }) => at >= from - generationMs).map(({ id, at }) => [at, late.isRepeat(id, at)] as const);
  expect(again.filter(([at]) => at >= from)).toEqual(told.filter(([at]) => at >= from));
});

test('a set of ids holds what was added, and nothing else, however much it grew', () => {
  const set = new IdSet();
  const ids = Array.from({ length: 20_000 }, () => [randomBytes(4).readUInt32BE(), randomBytes(4).readUInt32BE()] as const);
  const [inside, outside] = [[...ids.slice(0, 10_000), [0, 0] as const, [0, 1] as const, [1, 0] as const], ids.slice(10_000)];
  for (const [high, low] of [...inside, ...inside]) set.add(high, low);
  expect(set.size).toBe(inside.length);
  expect(inside.every(([high, low]) => set.has(high, low))).toBe(true);
  expect(outside.some(([high, low]) => set.has(high, low))).toBe(false);
});
