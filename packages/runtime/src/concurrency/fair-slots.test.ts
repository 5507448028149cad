import { FairSlots, Pace } from './fair-slots.ts';

const refusal = (isOwnFault: boolean) => new Error(isOwnFault ? 'own fault' : 'others');
const options = { slots: 8, maxPerKey: 4, maxWaitingPerKey: 3, maxWaiting: 5, maxWaitMs: 60_000, refusal };

/** Work of a key: 'running' with a slot, 'waiting', or why it was refused. */
function begin(slots: FairSlots, key: string, started: string[] = [], rank = 0): { state(): string } {
  let state = 'waiting';
  const start = () => {
    state = 'running';
    started.push(key);
  };
  const refuse = ({ message }: Error) => {
    state = message;
  };
  if (slots.acquire(key, { start, refuse }, rank)) start();
  return { state: () => state };
}

const beginMany = (slots: FairSlots, key: string, count: number) => Array.from({ length: count }, () => begin(slots, key));
const states = (work: readonly { state(): string }[]) => work.map(({ state }) => state());

test('a key holds at most its share; more waits, and starts as slots are given back', () => {
  const slots = new FairSlots(options);
  const work = beginMany(slots, 'a', 6);
  expect(states(work)).toEqual(['running', 'running', 'running', 'running', 'waiting', 'waiting']);
  slots.release('a');
  expect(states(work)[4]).toBe('running');
});

test('beyond its share and its places in the queue a key is refused for its own fault, and other keys go on', () => {
  const slots = new FairSlots(options);
  expect(states(beginMany(slots, 'a', 8)).at(-1)).toBe('own fault');
  expect(begin(slots, 'b').state()).toBe('running');
});

test('busy keys together leave a slot for the next key', () => {
  const slots = new FairSlots(options);
  for (const key of ['a', 'b', 'c', 'd', 'e']) expect(begin(slots, key).state()).toBe('running');
  for (const key of ['a', 'b', 'c', 'd', 'e']) beginMany(slots, key, 2);
  expect(begin(slots, 'f').state()).toBe('running');
});

test('waiting keys are served round-robin, however many wait of one', () => {
  const slots = new FairSlots({ ...options, slots: 1, maxPerKey: 1, maxWaitingPerKey: 9, maxWaiting: 9 });
  const started: string[] = [];
  for (const key of ['a', 'a', 'a', 'b', 'b', 'c']) begin(slots, key, started);
  for (let done = 0; done < 5; done++) slots.release(started.at(-1) ?? '');
  expect(started).toEqual(['a', 'a', 'b', 'c', 'a', 'b']);
});

test('waiters of a lower rank start first, whenever they came and whatever their key', () => {
  const slots = new FairSlots({ ...options, slots: 1, maxPerKey: 1, maxWaitingPerKey: 9, maxWaiting: 9, ranks: 3 });
  const started: string[] = [];
  begin(slots, 'a', started);
  for (const [key, rank] of [
    ['attacked', 2],
    ['attacked', 2],
    ['a', 1],
    ['b', 1],
    ['attacked', 0],
  ] as const)
    begin(slots, key, started, rank);
  for (let done = 0; done < 5; done++) slots.release(started.at(-1) ?? '');
  expect(started).toEqual(['a', 'attacked', 'a', 'b', 'attacked', 'attacked']);
});

test('waiters of a higher rank take no place from those of a lower one', () => {
  const slots = new FairSlots({ ...options, slots: 1, maxWaiting: 1, ranks: 2 });
  begin(slots, 'a');
  expect(states([begin(slots, 'b', [], 1), begin(slots, 'c', [], 1), begin(slots, 'd')])).toEqual(['waiting', 'others', 'waiting']);
});

test('waiting keys together leave a place for the next key', () => {
  const slots = new FairSlots({ ...options, slots: 1, maxWaitingPerKey: 100, maxWaiting: 16 });
  begin(slots, 'a');
  for (const key of ['b', 'c', 'd']) beginMany(slots, key, 100);
  expect(begin(slots, 'e').state()).toBe('waiting');
});

test('if others hold all slots, a key that finds no place or waits too long is refused for theirs', () => {
  jest.useFakeTimers();
  const slots = new FairSlots({ ...options, slots: 1 });
  begin(slots, 'a');
  const work = ['b', 'c', 'd', 'e', 'f', 'g'].map((key) => begin(slots, key));
  expect(states(work)).toEqual(['waiting', 'waiting', 'waiting', 'waiting', 'waiting', 'others']);
  jest.advanceTimersByTime(60_000);
  jest.useRealTimers();
  expect(new Set(states(work))).toEqual(new Set(['others']));
});

test('work that gave up waiting takes no slot, and keys without work take no memory', () => {
  const slots = new FairSlots({ ...options, slots: 1 });
  begin(slots, 'a');
  const waiter = { start: () => expect(true).toBe(false), refuse: () => undefined };
  slots.acquire('b', waiter);
  slots.cancel('b', waiter);
  slots.release('a');
  expect([slots.inFlight, slots.waiting, slots.keys]).toEqual([0, 0, 0]);
});

test('all that wait can be refused; work that has begun goes on', () => {
  const slots = new FairSlots({ ...options, slots: 1 });
  const work = ['a', 'b', 'b', 'c'].map((key) => begin(slots, key));
  slots.refuseWaiting();
  expect(states(work)).toEqual(['running', 'others', 'others', 'others']);
  expect([slots.inFlight, slots.waiting]).toEqual([1, 0]);
});

test('run gives its slot back after a failure', async () => {
  const slots = new FairSlots({ ...options, slots: 1 });
  await expect(slots.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(slots.run('b', async () => 'served')).resolves.toBe('served');
  expect(slots.keys).toBe(0);
});

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
