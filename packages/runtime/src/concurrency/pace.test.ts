import { Pace } from './pace.ts';

let now: number;
/** How long each turn was waited for, in milliseconds. */
let waits: number[];
let pace: Pace;
const refused = new Error('too many');

beforeEach(() => {
  [now, waits] = [60_000, []];
  pace = new Pace({ maxWaitMs: 5000, refusal: () => refused, now: () => now, sleep: async (ms) => void waits.push(ms) });
});

const turns = async (count: number, key = 'one') => {
  for (let each = 0; each < count; each++) await pace.turn(key, { perSecond: 10, burst: 20 });
};

test('a key gets its burst at once, then turns at its rate; others do not wait for it', async () => {
  await turns(20);
  expect(waits).toEqual([]);
  await turns(10);
  expect([waits.length, waits.at(0), waits.at(-1)]).toEqual([10, 100, 1000]);
  await turns(20, 'another');
  expect(waits).toHaveLength(10);
});

test('what is not used flows back at the rate, up to the burst', async () => {
  await turns(20);
  now += 1000;
  await turns(10);
  expect(waits).toEqual([]);
  now += 3600_000;
  await turns(21);
  expect(waits).toEqual([100]);
});

test('whoever would wait too long is refused, and takes no turn from those behind', async () => {
  await turns(70);
  expect(waits.at(-1)).toBe(5000);
  await expect(turns(1)).rejects.toBe(refused);
  await expect(turns(1)).rejects.toBe(refused);
  now += 100;
  await turns(1);
  expect(waits.at(-1)).toBe(5000);
});
