import { setImmediate as pendingIo } from 'node:timers/promises';
import { register } from 'prom-client';
import { logger } from '../logger.ts';
import { repeat } from '../retry.ts';
import { batched, batcher, Coalescer } from './batch.ts';
import { FairSlots, Pace } from './fair-slots.ts';
import { KeyedMutex, Semaphore } from './semaphore.ts';
import { type Run, watched, workersCheck } from './watched-run.ts';
import { WorkerPool } from './worker-pool.ts';

describe('batch', () => {
  /** A run that lasts until the test ends it. */
  function controlled() {
    const batches: { items: readonly number[]; end: () => void }[] = [];
    const load = batched<number, number>(
      (items) => new Promise((resolve) => batches.push({ items, end: () => resolve(items.map((item) => item * 10)) })),
    );
    return { batches, load };
  }

  const tick = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  test('calls of one event-loop tick are one batch, and each gets its own result', async () => {
    const { batches, load } = controlled();
    const answers = Promise.all([load(1), load(2), load(1)]);
    await tick();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 1]]);
    batches[0]?.end();
    expect(await answers).toEqual([10, 20, 10]);
  });

  test('at most two batches are in flight, and calls made meanwhile form the next one', async () => {
    const { batches, load } = controlled();
    const answers: Promise<number>[] = [];
    for (let item = 1; item <= 6; item++) {
      answers.push(load(item));
      await tick();
    }
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[1]?.end();
    await tick();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5, 6]]);
    for (const { end } of batches) end();
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  test('of batches that keep apart the first starts at once, and later items wait for the next one', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const batches: (readonly number[])[] = [];
    const load = batched<number, number>(
      async (items) => {
        batches.push(items);
        return items;
      },
      { minApartMs: 100 },
    );
    for (const item of [1, 2, 3]) {
      void load(item);
      await tick();
      jest.advanceTimersByTime(40);
      await tick();
    }
    expect(batches).toEqual([[1], [2, 3]]);
    jest.advanceTimersByTime(100);
    void load(4);
    await tick();
    expect(batches).toEqual([[1], [2, 3], [4]]);
    jest.useRealTimers();
  });

  test('items linger for others, over ticks, and a full batch starts at once', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const batches: (readonly number[])[] = [];
    const load = batched<number, number>(
      async (items) => {
        batches.push(items);
        return items;
      },
      { lingerMs: 100, maxBatchSize: 3 },
    );
    void load(1);
    await tick();
    void load(2);
    await tick();
    expect(batches).toEqual([]);
    jest.advanceTimersByTime(100);
    await tick();
    expect(batches).toEqual([[1, 2]]);
    for (const item of [3, 4, 5]) void load(item);
    await tick();
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    jest.useRealTimers();
  });

  test('items linger for others, although a batch before them ends meanwhile', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const batches: (readonly number[])[] = [];
    const ended = Promise.withResolvers<void>();
    const load = batched<number, number>(
      async (items) => {
        batches.push(items);
        await ended.promise;
        return items;
      },
      { lingerMs: 100 },
    );
    void load(1);
    jest.advanceTimersByTime(100);
    const second = [load(2)];
    ended.resolve();
    await tick();
    second.push(load(3));
    jest.advanceTimersByTime(100);
    expect(await Promise.all(second)).toEqual([2, 3]);
    expect(batches).toEqual([[1], [2, 3]]);
    jest.useRealTimers();
  });

  test('nothing is cached: the same item is requested again', async () => {
    const { batches, load } = controlled();
    for (const place of [0, 1]) {
      const answer = load(7);
      await tick();
      batches[place]?.end();
      await answer;
    }
    expect(batches).toHaveLength(2);
  });

  test('a failed batch fails only its own calls, and the next one runs', async () => {
    let runs = 0;
    const load = batched<number, number>(async (items) => {
      if (++runs === 1) throw new Error('away');
      return items.map((item) => (item === 3 ? new Error('this item alone') : item));
    });
    const failed = await Promise.allSettled([load(1), load(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.allSettled([load(3), load(4)])).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 4 }]);
  });

  test('a batch with a wrong number of results fails: no call gets the result of another', async () => {
    const load = batched<number, number>(async (items) => items.slice(1));
    const failed = await Promise.allSettled([load(1), load(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('the sizes in a batch add up to at most maxBatchSize; a larger item is a batch of its own', async () => {
    const batches: (readonly number[])[] = [];
    const ended = Promise.withResolvers<void>();
    const add = batcher<number>(
      async (items) => {
        batches.push(items);
        return () => {
          if (items.includes(1)) ended.resolve();
        };
      },
      { maxBatchSize: 100, sizeOf: (item) => item },
    );
    for (const size of [50, 50, 40, 500, 70, 30, 1]) add(size);
    await ended.promise;
    expect(batches).toEqual([[50, 50], [40], [500], [70, 30], [1]]);
  });

  test('results are handed out after the next batch has started', async () => {
    const order: string[] = [];
    const ended = Promise.withResolvers<void>();
    const add = batcher<number>(
      async ([item]) => {
        order.push(`start ${item}`);
        return () => {
          order.push(`hand out ${item}`);
          if (item === 2) ended.resolve();
        };
      },
      { maxInFlight: 1, maxBatchSize: 1 },
    );
    add(1);
    add(2);
    await ended.promise;
    expect(order).toEqual(['start 1', 'start 2', 'hand out 1', 'hand out 2']);
  });

  test('callers that arrive during a run share the next one, which does the work of the last', async () => {
    const coalescer = new Coalescer<string>();
    const first = Promise.withResolvers<string>();
    const begun: string[] = [];
    const ask = (name: string, result: Promise<string> = Promise.resolve(name)) =>
      coalescer.ask('key', () => {
        begun.push(name);
        return result;
      });
    const results = [ask('first', first.promise), ask('second'), ask('third')];
    first.resolve('first');
    expect(await Promise.all(results)).toEqual(['first', 'third', 'third']);
    expect(begun).toEqual(['first', 'third']);
  });

  test('a run that fails fails for its own callers alone', async () => {
    const coalescer = new Coalescer<string>();
    const failing = coalescer.ask('key', () => Promise.reject(new Error('away')));
    const next = coalescer.ask('key', async () => 'answered');
    await expect(failing).rejects.toThrow('away');
    expect(await next).toBe('answered');
  });

  test('other keys do not wait', async () => {
    const coalescer = new Coalescer<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting = coalescer.ask('one', () => promise);
    expect(await coalescer.ask('other', async () => 'answered')).toBe('answered');
    resolve('answered later');
    expect(await waiting).toBe('answered later');
  });
});

describe('fair slots', () => {
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
});

describe('keyed mutex', () => {
  test('work for one key runs one after another, also after a failure; work for another key runs meanwhile', async () => {
    const mutex = new KeyedMutex();
    const log: string[] = [];
    const work = (key: string, name: string, fails = false) =>
      mutex.run(key, async () => {
        log.push(`${name} begins`);
        await pendingIo();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const outcomes = await Promise.allSettled([work('a', 'first', true), work('a', 'second'), work('b', 'other')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(log.filter((line) => !line.startsWith('other'))).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
    expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('first ends'));
    expect(await work('a', 'third')).toBe('third');
  });
});

describe('semaphore', () => {
  const refusal = () => new Error('overloaded');

  /** Work that the test ends. */
  function heldWork() {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let hasBegun = false;
    const run = () => {
      hasBegun = true;
      begun.resolve();
      return promise;
    };
    return { run, begun: begun.promise, hasBegun: () => hasBegun, end: resolve, fail: reject };
  }

  test('at most so many tasks run at once, and the longest waiting is next, also after a failure', async () => {
    const semaphore = new Semaphore({ permits: 2, maxWaitMs: 60_000 });
    const works = Array.from({ length: 4 }, heldWork);
    const order: number[] = [];
    const held = works.map(({ run, begun }, index) => {
      void begun.then(() => order.push(index));
      return semaphore.run(run);
    });
    await works[1]?.begun;
    expect(order).toEqual([0, 1]);
    works[1]?.end();
    await works[2]?.begun;
    expect(order).toEqual([0, 1, 2]);
    works[0]?.fail(new Error('gone'));
    await works[3]?.begun;
    for (const { end } of works) end();
    expect((await Promise.allSettled(held)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  test('a task that waits longer than maxWaitMs is refused, and its place goes to others', async () => {
    const semaphore = new Semaphore({ permits: 2, maxWaitMs: 1, refusal });
    const [first, second, third] = [heldWork(), heldWork(), heldWork()];
    const held = semaphore.run(first.run);
    await expect(semaphore.run(second.run, 2)).rejects.toThrow('overloaded');
    const beside = semaphore.run(third.run);
    await third.begun;
    expect(second.hasBegun()).toBe(false);
    first.end();
    third.end();
    await Promise.all([held, beside]);
    expect(semaphore.free).toBe(2);
  });

  test('a refused task no longer blocks the ones behind it', async () => {
    const semaphore = new Semaphore({ permits: 2, maxWaitMs: 1, refusal });
    const [first, large, small] = [heldWork(), heldWork(), heldWork()];
    const held = semaphore.run(first.run);
    const refused = expect(semaphore.run(large.run, 2)).rejects.toThrow('overloaded');
    const after = semaphore.run(small.run);
    await Promise.all([refused, small.begun]);
    first.end();
    small.end();
    await Promise.all([held, after]);
  });

  test('tasks wait in order for the permits of earlier ones', async () => {
    const semaphore = new Semaphore({ permits: 100 });
    const [first, second, third] = [heldWork(), heldWork(), heldWork()];
    const all = [semaphore.run(first.run, 60), semaphore.run(second.run, 60), semaphore.run(third.run, 10)];
    await pendingIo();
    expect([first.hasBegun(), second.hasBegun(), third.hasBegun()]).toEqual([true, false, false]);
    first.end();
    await all[0];
    await pendingIo();
    expect([second.hasBegun(), third.hasBegun()]).toEqual([true, true]);
    second.end();
    third.end();
    await Promise.all(all);
  });

  test('failed work returns its permits', async () => {
    const semaphore = new Semaphore({ permits: 100 });
    await expect(semaphore.run(() => Promise.reject(new Error('away')), 100)).rejects.toThrow('away');
    expect(await semaphore.run(async () => 'done')).toBe('done');
    expect(semaphore.free).toBe(100);
  });

  test('work that needs more than all permits runs alone', async () => {
    const semaphore = new Semaphore({ permits: 100 });
    const [held, next] = [heldWork(), heldWork()];
    const alone = semaphore.run(held.run, 500);
    const after = semaphore.run(next.run);
    await pendingIo();
    expect([held.hasBegun(), next.hasBegun()]).toEqual([true, false]);
    held.end();
    next.end();
    await Promise.all([alone, after]);
  });

  test('beyond maxWaiting tasks, work is refused at once', async () => {
    const semaphore = new Semaphore({ permits: 1, maxWaiting: 1000, refusal });
    const held = heldWork();
    const first = semaphore.run(held.run);
    const waiting = Array.from({ length: 1000 }, () => semaphore.run(async () => undefined));
    await expect(semaphore.run(async () => undefined)).rejects.toThrow('overloaded');
    held.end();
    await Promise.all([first, ...waiting]);
  });

  test('whenFree resolves when so many permits are free, and holds none afterwards', async () => {
    const semaphore = new Semaphore({ permits: 3 });
    const works = [heldWork(), heldWork(), heldWork()];
    const held = works.map(({ run }) => semaphore.run(run));
    let isFree = false;
    const free = semaphore.whenFree(2).then(() => {
      isFree = true;
    });
    works[0]?.end();
    await pendingIo();
    expect(isFree).toBe(false);
    works[1]?.end();
    await free;
    expect(semaphore.free).toBe(2);
    works[2]?.end();
    await Promise.all(held);
  });
});

describe('watched run', () => {
  beforeAll(() => {
    logger.level = 'silent';
  });

  const never = new Promise<void>(() => undefined);
  const restarts = async () => (await register.getSingleMetric('webkiln_worker_restarts_total')?.get())?.values[0]?.value ?? 0;

  test('work that stands still is started again, and the process is not ready until it makes progress', async () => {
    const stopping = new AbortController();
    const failures: string[] = [];
    const given: boolean[] = [];
    const readiness: unknown[] = [];
    const before = await restarts();
    let runs = 0;
    const work = async (run: Run) => {
      run.signal.addEventListener('abort', () => given.push(run.signal.aborted));
      if (++runs <= 2) await never;
      try {
        workersCheck();
      } catch (error) {
        readiness.push((error as Error).message);
      }
      run.progress();
      workersCheck();
      stopping.abort();
    };
    const onFailure = (error: unknown) => failures.push((error as Error).message);
    await repeat(work, { worker: 'work', maxSilenceMs: 20, signal: stopping.signal, delayMs: 0, onFailure });
    expect(failures).toEqual(Array(2).fill('work made no progress for 20 ms'));
    expect(readiness).toEqual(['no progress: work']);
    expect((await restarts()) - before).toBe(2);
    expect(given.slice(0, 2)).toEqual([true, true]);
  });

  test('work that says that it goes on is not given up, however long it takes', async () => {
    jest.useFakeTimers();
    try {
      const working = Promise.withResolvers<void>();
      let progress = () => {};
      const work = (run: Run) => {
        progress = run.progress;
        return working.promise;
      };
      const ended = watched(work, { worker: 'long work', maxSilenceMs: 1_000, signal: new AbortController().signal });
      for (let step = 0; step < 100; step++) {
        jest.advanceTimersByTime(999);
        progress();
      }
      working.resolve();
      await ended;
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('worker pool', () => {
  const program = new URL('../testing/answering-worker.ts', import.meta.url);
  const poolOf = (timeoutMs: number, threads = 2) =>
    new WorkerPool<number | string, number>({ program, threads, timeoutMs, maxHeapMb: 64 });

  let pool: WorkerPool<number | string, number>;
  afterEach(() => pool.close());

  test('work is answered each with its own answer, also when more comes than there are threads', async () => {
    pool = poolOf(60_000);
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    expect(await Promise.all(numbers.map((number) => pool.run('a', number)))).toEqual(numbers.map((number) => number * 2));
  });

  test('work that takes too long, or throws, ends with an error, and the next work is done', async () => {
    pool = poolOf(5_000, 1);
    await expect(pool.run('a', 'spin')).rejects.toThrow();
    await expect(pool.run('a', 'throw')).rejects.toThrow('thrown in the thread');
    expect(await pool.run('a', 2)).toBe(4);
  });

  test('while one key has work that never ends, and more of it, the work of others is done', async () => {
    pool = poolOf(600_000);
    const ended = Promise.allSettled([pool.run('a', 'spin'), pool.run('a', 'spin')]);
    expect(await pool.run('b', 2)).toBe(4);
    expect(await pool.run('b', 3)).toBe(6);
    await pool.close();
    expect(await ended).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });
});
