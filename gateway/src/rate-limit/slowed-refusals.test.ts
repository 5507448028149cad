import { SlowedRefusals } from './slowed-refusals.ts';

let now: number;
/** Ends the delays so far. */
let answer: (() => void)[];
let slowed: SlowedRefusals;

beforeEach(() => {
  [now, answer] = [5_000, []];
  slowed = new SlowedRefusals(
    () => now,
    () => new Promise((resolve) => answer.push(resolve)),
  );
});

/** How many of so many refusals of a caller are answered at once. */
async function countUndelayed(refusals: number, caller = 'a key'): Promise<number> {
  let answered = 0;
  for (let each = 0; each < refusals; each++) void slowed.wait(caller).then(() => answered++);
  await new Promise(setImmediate);
  return answered;
}

test('twenty refusals of a caller in a second are answered at once, further ones later; those of others are not delayed', async () => {
  expect(await countUndelayed(25)).toBe(20);
  expect(await countUndelayed(20, 'another key')).toBe(20);
  expect(answer).toHaveLength(5);
});

test('in the next second refusals are answered at once again', async () => {
  await countUndelayed(25);
  now += 1000;
  expect(await countUndelayed(20)).toBe(20);
});

test('no more than five thousand refusals wait at once', async () => {
  expect(await countUndelayed(6_000)).toBe(1_000);
  expect(answer).toHaveLength(5_000);
  for (const end of answer.splice(0)) end();
  await new Promise(setImmediate);
  expect(await countUndelayed(10)).toBe(0);
});
