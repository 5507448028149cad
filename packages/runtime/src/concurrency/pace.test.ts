import { Pace } from './pace.ts';

let now: number;
/** The delays, in milliseconds. */
let waits: number[];
let pace: Pace;
const refused = new Error('too many');

beforeEach(() => {
  [now, waits] = [60_000, []];
  pace = new Pace({ maxWaitMs: 5000, refusal: () => refused, now: () => now, sleep: async (ms) => void waits.push(ms) });
});

const start = async (count: number, key = 'one') => {
  for (let each = 0; each < count; each++) await pace.wait(key, { perSecond: 10, burst: 20 });
};

test('a key gets its burst at once, then starts at its rate; others do not wait for it', async () => {
  await start(20);
  expect(waits).toEqual([]);
  await start(10);
  expect([waits.length, waits.at(0), waits.at(-1)]).toEqual([10, 100, 1000]);
  await start(20, 'another');
  expect(waits).toHaveLength(10);
});

test('what is not used flows back at the rate, up to the burst', async () => {
  await start(20);
  now += 1000;
  await start(10);
  expect(waits).toEqual([]);
  now += 3600_000;
  await start(21);
  expect(waits).toEqual([100]);
});

test('whoever would wait too long is refused, and delays none of those behind', async () => {
  await start(70);
  expect(waits.at(-1)).toBe(5000);
  await expect(start(1)).rejects.toBe(refused);
  await expect(start(1)).rejects.toBe(refused);
  now += 100;
  await start(1);
  expect(waits.at(-1)).toBe(5000);
});
