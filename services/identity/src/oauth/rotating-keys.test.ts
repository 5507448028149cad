import { useTestStore } from '@webkiln/store/testing';
import { stolenDatabase } from '../testing/stolen-database.ts';
import { loadKeys } from './store/rotating-keys.ts';

useTestStore();

const secrets = ['a'.repeat(32)] as const;
const day = 24 * 3_600_000;
/** In the future, because MongoDB deletes keys that have expired. */
const begin = new Date('2075-01-23T00:00:00Z');
const after = (ms: number) => new Date(begin.getTime() + ms);

test('replicas that start at once share one key, in the database only as sealed text', async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => loadKeys(secrets, begin)));
  for (const other of others) expect(other).toEqual(first);
  expect([first?.cookies.length, first?.signing.length]).toEqual([1, 1]);
  const stolen = await stolenDatabase();
  expect(stolen.includes(first?.cookies[0] ?? 'none')).toBe(false);
  expect(stolen.includes(String(first?.signing[0]?.d))).toBe(false);
});

test('every 30 days a new key is added; it signs after 5 minutes, when all replicas know it, and the old one still verifies', async () => {
  const [old] = (await loadKeys(secrets, begin)).cookies;
  const added = await loadKeys(secrets, after(31 * day));
  expect([added.cookies.length, added.cookies[0]]).toEqual([2, old]);
  const later = await loadKeys(secrets, after(31 * day + 5 * 60_000));
  expect([later.cookies.length, later.cookies[1]]).toEqual([2, old]);
  expect(later.version).not.toBe(added.version);
});

test('keys that an older listed secret sealed verify beside those under the first, and are left out when it has gone', async () => {
  const [older, newer] = ['c'.repeat(32), 'd'.repeat(32)];
  const [old] = (await loadKeys([older], begin)).cookies;
  const added = (await loadKeys([newer, older], after(10 * 60_000))).cookies;
  expect(added).toEqual([old, expect.any(String)]);
  expect((await loadKeys([newer, older], after(15 * 60_000))).cookies).toEqual(added.toReversed());
  expect((await loadKeys([older], after(15 * 60_000))).cookies).toEqual([old]);
  expect((await loadKeys([newer], after(15 * 60_000))).cookies).toEqual(added.slice(1));
});

test('with another secret there are new keys, and the old ones are not used', async () => {
  const [old] = (await loadKeys(secrets, begin)).cookies;
  const renewed = await loadKeys(['b'.repeat(32)], begin);
  expect(renewed.cookies).toHaveLength(1);
  expect(renewed.cookies).not.toContain(old);
});
