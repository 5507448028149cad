import { connectTo, until } from '@webkiln/rpc/testing';
import { FakePublisher } from '../testing/fake-publisher.ts';
import { ResolutionCache } from './resolution-cache.ts';
import { resolveSite } from './resolve.ts';
import type { Site } from './site.ts';

const one = { 'one.html': { content: '1' } };
const two = { 'two.html': { content: '2' } };

let published: FakePublisher;
let replica: Awaited<ReturnType<FakePublisher['serve']>>;
let peers: AsyncDisposable;
let now: number;
let live: boolean;
let reachable: boolean;
let resolutions: ResolutionCache;
beforeEach(async () => {
  published = new FakePublisher();
  published.publish('shop', one);
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
  now = 1_000_000;
  live = true;
  reachable = true;
  resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive: () => live, isReachable: () => reachable, now: () => now });
});
afterEach(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

const pathsOf = (site: Site | null) => (site === null ? null : [...site.files.keys()]);
const find = async (name = 'shop') => pathsOf(await resolutions.find(name));

/** Makes all further lookups fail. */
const breakDown = () => {
  published.beforeReply = () => Promise.reject(new Error('down'));
};

test('while the change feed is live, a fresh entry is not looked up again, and an old one is revalidated in the background', async () => {
  await find();
  now += 9000;
  await find();
  expect(published.lookups).toEqual(['shop']);
  published.publish('shop', two);
  now += 2000;
  expect(await find()).toEqual(['one.html']);
  await until(() => pathsOf(resolutions.cached('shop') ?? null)?.[0] === 'two.html');
});

test('a change event shows at the next request', async () => {
  await find();
  published.publish('shop', two);
  resolutions.invalidate('shop');
  expect(await find()).toEqual(['two.html']);
});

test('an unpublished name is cached as such until something is published under it', async () => {
  expect([await find('new'), await find('new')]).toEqual([null, null]);
  expect(published.lookups).toEqual(['new']);
  published.publish('new', one);
  resolutions.invalidate('new');
  expect(await find('new')).toEqual(['one.html']);
});

test('unknown names push no site out of memory, and are looked up again after 10 s', async () => {
  await find();
  const many = new ResolutionCache({
    resolve: async (name) => (name === 'shop' ? resolveSite(name) : null),
    feedIsLive: () => true,
    isReachable: () => true,
    now: () => now,
  });
  await many.find('shop');
  for (let at = 0; at < 120_000; at++) await many.find(`unknown-${at}`);
  expect(pathsOf(many.cached('shop') ?? null)).toEqual(['one.html']);
  expect([many.cached('unknown-1'), many.cached('unknown-119999')]).toEqual([undefined, null]);
  now += 10_000;
  expect(many.cached('unknown-119999')).toBeUndefined();
});

test('a response that was already on its way when a change event arrived is not cached', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  published.beforeReply = () => {
    arrived.resolve();
    return held;
  };
  const found = find();
  await arrived.promise;
  resolutions.invalidate('shop');
  published.publish('shop', two);
  published.beforeReply = async () => undefined;
  release();
  expect(await found).toEqual(['two.html']);
  expect(await find()).toEqual(['two.html']);
  expect(published.lookups).toEqual(['shop', 'shop']);
});

test('while the change feed is down, entries older than 0.8 s are looked up again before use', async () => {
  live = false;
  await find();
  published.publish('shop', two);
  now += 799;
  expect(await find()).toEqual(['one.html']);
  now += 1;
  expect(await find()).toEqual(['two.html']);
});

test('when the change feed is restored, all entries are looked up again', async () => {
  await find();
  published.publish('shop', two);
  now += 1;
  resolutions.invalidateAll();
  expect(await find()).toEqual(['two.html']);
});

test.each([
  ['was invalidated', () => resolutions.invalidate('shop')],
  ['may have missed a change', () => resolutions.invalidateAll()],
])('an entry that %s is served while lookups fail, which are retried after a second', async (_, change) => {
  await find();
  published.publish('shop', two);
  now += 1;
  change();
  breakDown();
  expect([await find(), await find()]).toEqual([['one.html'], ['one.html']]);
  expect(published.lookups).toEqual(['shop', 'shop']);
  published.beforeReply = async () => undefined;
  now += 1000;
  expect(await find()).toEqual(['two.html']);
});

test('a cached entry is served without waiting for an unreachable service', async () => {
  await find();
  resolutions.invalidate('shop');
  reachable = false;
  expect(await find()).toEqual(['one.html']);
  expect(published.lookups).toEqual(['shop']);
});

test('a failed lookup without a cached entry is an error, and is not cached', async () => {
  breakDown();
  await expect(find()).rejects.toMatchObject({ name: 'AppError' });
  published.beforeReply = async () => undefined;
  expect(await find()).toEqual(['one.html']);
});
