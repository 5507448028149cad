import { logger } from '@webkiln/runtime';
import { CustomDomains } from './dispatch-by-host.ts';

let isLive = true;
let sites: ReadonlySet<string>;
let lookups: string[];
let isDown: boolean;

beforeEach(() => {
  logger.level = 'silent';
  [isLive, sites, lookups, isDown] = [true, new Set(['www.shop.example']), [], false];
});

const open = () =>
  new CustomDomains({
    feedIsLive: () => isLive,
    isSite: async (name) => {
      lookups.push(name);
      if (isDown) throw new Error('down');
      return sites.has(name);
    },
  });

test('a domain is looked up once, for all who ask at the same time and later', async () => {
  const domains = open();
  expect(domains.cached('www.shop.example')).toBeUndefined();
  expect(await Promise.all(Array.from({ length: 5 }, () => domains.find('www.shop.example')))).toEqual(Array(5).fill(true));
  expect(await domains.find('other.example')).toBe(false);
  expect([domains.cached('www.shop.example'), domains.cached('other.example')]).toEqual([true, false]);
  expect(lookups).toEqual(['www.shop.example', 'other.example']);
});

test('a change is seen at the next request, also one that happens while the domain is looked up', async () => {
  const domains = open();
  expect(await domains.find('new.example')).toBe(false);
  sites = new Set(['new.example']);
  domains.forget('new.example');
  expect(domains.cached('new.example')).toBeUndefined();
  const early = domains.find('new.example');
  domains.forget('new.example');
  await early;
  expect(domains.cached('new.example')).toBeUndefined();
  expect(await domains.find('new.example')).toBe(true);
  domains.forgetAll();
  expect(domains.cached('new.example')).toBeUndefined();
});

test('while lookups fail the last answer counts, and an unknown domain gets nothing of the platform', async () => {
  const domains = open();
  await domains.find('www.shop.example');
  await domains.find('health.internal.example');
  isDown = true;
  domains.forgetAll();
  const names = ['www.shop.example', 'health.internal.example', 'unknown.example'];
  expect(await Promise.all(names.map((name) => domains.find(name)))).toEqual([true, false, true]);
});

test('unknown names push no site out of memory, and are looked up again after 10 s, sites after a minute', async () => {
  const domains = open();
  await domains.find('www.shop.example');
  for (let at = 0; at < 60_000; at++) await domains.find(`${at}.example`);
  expect(domains.cached('www.shop.example')).toBe(true);
  expect([domains.cached('1.example'), domains.cached('59999.example')]).toEqual([undefined, false]);
  const now = performance.now();
  jest.spyOn(performance, 'now').mockReturnValue(now + 11_000);
  expect([domains.cached('www.shop.example'), domains.cached('59999.example')]).toEqual([true, undefined]);
  jest.restoreAllMocks();
});
