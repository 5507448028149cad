import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** Answers that are given one by one, by a clock that is set by hand. */
function asked() {
  const clock = { now: 5_000 };
  const questions: { of: readonly string[]; answer: (text: string) => void; fail: (error: Error) => void }[] = [];
  const answers = new StaleWhileRevalidate(
    (...of: [string, string]) => {
      const { promise, resolve: answer, reject: fail } = Promise.withResolvers<string>();
      questions.push({ of, answer, fail });
      return promise;
    },
    { now: () => clock.now },
  );
  const last = () => {
    const question = questions.at(-1);
    if (question === undefined) throw new Error('nothing was asked');
    return question;
  };
  /** Gets what is found out at once. */
  const found = async (text: string) => {
    const got = answers.get('org', 'range');
    last().answer(text);
    return got;
  };
  return { clock, questions, answers, last, found, get: () => answers.get('org', 'range') };
}

/** What was answered is in place when everything that waits for it has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('of equal questions at once one is asked, and its answer stands for a second', async () => {
  const { clock, questions, last, get } = asked();
  const all = [get(), get(), get()];
  last().answer('first');
  expect(await Promise.all(all)).toEqual(['first', 'first', 'first']);
  clock.now += 999;
  expect([await get(), questions.length]).toEqual(['first', 1]);
});

test('organizations, and ranges of one, never share an answer, nor a question', async () => {
  const { questions, answers } = asked();
  const all = [answers.get('a', 'x'), answers.get('b', 'x'), answers.get('a', 'y'), answers.get('a","x', '')];
  for (const { of, answer } of questions) answer(`of ${of.join(' ')}`);
  expect(await Promise.all(all)).toEqual(['of a x', 'of b x', 'of a y', 'of a","x ']);
  expect(await answers.get('b', 'x')).toBe('of b x');
});

test('an answer of one to three seconds is shown while it is refreshed, once; the next who asks gets the refreshed one', async () => {
  const { clock, questions, last, get, found } = asked();
  await found('first');
  clock.now += 2_999;
  expect([await get(), await get(), questions.length]).toEqual(['first', 'first', 2]);
  last().answer('second');
  await settled();
  expect([await get(), questions.length]).toEqual(['second', 2]);
});

test('an answer of three seconds is not shown, also while it is being refreshed; its age is that of the question', async () => {
  const { clock, questions, last, get } = asked();
  const first = get();
  clock.now += 1_000;
  last().answer('first');
  await first;
  clock.now += 1_999;
  expect(await get()).toBe('first');
  clock.now += 1;
  const next = get();
  last().answer('second');
  expect([await next, questions.length]).toEqual(['second', 2]);
});

test('a refresh that fails is tried again by the next who asks, and told only to who waits for it', async () => {
  const { clock, questions, last, get, found } = asked();
  await found('first');
  clock.now += 2_000;
  expect(await get()).toBe('first');
  last().fail(new Error('away'));
  await settled();
  expect([await get(), questions.length]).toEqual(['first', 3]);
  last().fail(new Error('away'));
  await settled();
  clock.now += 1_000;
  const waiting = get();
  last().fail(new Error('still away'));
  await expect(waiting).rejects.toThrow('still away');
  expect([await found('second'), questions.length]).toEqual(['second', 5]);
});

test('who waits gets an answer, however many others are asked for meanwhile', async () => {
  const { questions, answers } = asked();
  const all = Array.from({ length: 1_000 }, (_, index) => answers.get(`org-${index}`, 'x'));
  for (const { of, answer } of questions) answer(of[0] ?? '');
  expect(await Promise.all(all)).toEqual(Array.from({ length: 1_000 }, (_, index) => `org-${index}`));
});
