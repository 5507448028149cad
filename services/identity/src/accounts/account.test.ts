import { countTry, openAccount } from './account.ts';

const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const minutes = 60_000;
const account = openAccount({ _id: 'a1', email: 'Ada@Example.com', name: null }, start);
const limited = expect.objectContaining({ code: 'rate_limited' });

const tried = (times: readonly Date[]) => times.reduce((state, at) => countTry(state, at), { failed_at: account.failed_at });

test('an account keeps its email as it was typed and is found whatever the case', () => {
  expect(account).toMatchObject({ email: 'Ada@Example.com', email_folded: 'ada@example.com', password_hash: null });
});

test('twenty tries may fail within ten minutes and the next is refused, until the first is ten minutes old', () => {
  const twenty = tried(Array.from({ length: 20 }, (_, second) => after(second * 1000)));
  expect(() => countTry(twenty, after(10 * minutes - 1))).toThrow(limited);
  expect(countTry(twenty, after(10 * minutes)).failed_at).toHaveLength(20);
  expect(() => countTry(countTry(twenty, after(10 * minutes)), after(10 * minutes))).toThrow(limited);
});

test('failures that are over are forgotten, so that the record does not grow', () => {
  expect(tried([start, after(minutes), after(20 * minutes)]).failed_at).toEqual([after(20 * minutes)]);
});
