import { connectTo, until } from '@webkiln/rpc/testing';
import { Published } from '../testing/served-sites.ts';
import { Resolutions } from './resolutions.ts';
import { resolveSite } from './resolve.ts';
import type { Site } from './site.ts';

const one = { 'one.html': { content: '1' } };
const two = { 'two.html': { content: '2' } };

let published: Published;
let replica: Awaited<ReturnType<Published['serve']>>;
let peers: AsyncDisposable;
let now: number;
let live: boolean;
let reachable: boolean;
let resolutions: Resolutions;
beforeEach(async () => {
  published = new Published();
  published.publish('shop', one);
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
  now = 1_000_000;
  live = true;
  reachable = true;
  resolutions = new Resolutions({ resolve: resolveSite, feedIsLive: () => live, canAsk: () => reachable, now: () => now });
});
afterEach(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

const pathsOf = (site: Site | null) => (site === null ? null : [...site.files.keys()]);
const find = async (name = 'shop') => pathsOf(await resolutions.find(name));

/** From now on the service fails. */
const breakDown = () => {
  published.before = () => Promise.reject(new Error('down'));
};

test('while changes are heard of, nobody is asked again before the review, and nobody waits for that', async () => {
  await find();
  now += 9000;
  await find();
  expect(published.asked).toEqual(['shop']);
  published.publish('shop', two);
  now += 2000;
  expect(await find()).toEqual(['one.html']);
  await until(() => pathsOf(resolutions.known('shop') ?? null)?.[0] === 'two.html');
});

test('a change that is heard of shows at the next request', async () => {
  await find();
  published.publish('shop', two);
  resolutions.distrust('shop');
  expect(await find()).toEqual(['two.html']);
});

test('a name under which nothing was published is remembered as that, until it is', async () => {
  expect([await find('new'), await find('new')]).toEqual([null, null]);
  expect(published.asked).toEqual(['new']);
  published.publish('new', one);
  resolutions.distrust('new');
  expect(await find('new')).toEqual(['one.html']);
});

test('a change that is heard of while the answer is on its way is not overtaken by it', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  published.before = () => {
    arrived.resolve();
    return held;
  };
  const found = find();
  await arrived.promise;
  resolutions.distrust('shop');
  published.publish('shop', two);
  published.before = async () => undefined;
  release();
  expect(await found).toEqual(['two.html']);
  expect(await find()).toEqual(['two.html']);
  expect(published.asked).toEqual(['shop', 'shop']);
});

test('while changes are not heard of, what is older than 0.8 s is asked for again first', async () => {
  live = false;
  await find();
  published.publish('shop', two);
  now += 799;
  expect(await find()).toEqual(['one.html']);
  now += 1;
  expect(await find()).toEqual(['two.html']);
});

test('when changes are heard of again, everything is asked for again', async () => {
  await find();
  published.publish('shop', two);
  now += 1;
  resolutions.distrustAll();
  expect(await find()).toEqual(['two.html']);
});

test.each([
  ['was heard to have changed', () => resolutions.distrust('shop')],
  ['may have changed unheard', () => resolutions.distrustAll()],
])('what %s goes on being used while nobody answers, and is asked for again a second later', async (_, change) => {
  await find();
  published.publish('shop', two);
  now += 1;
  change();
  breakDown();
  expect([await find(), await find()]).toEqual([['one.html'], ['one.html']]);
  expect(published.asked).toEqual(['shop', 'shop']);
  published.before = async () => undefined;
  now += 1000;
  expect(await find()).toEqual(['two.html']);
});

test('nobody waits for a service that cannot be reached where something is known', async () => {
  await find();
  resolutions.distrust('shop');
  reachable = false;
  expect(await find()).toEqual(['one.html']);
  expect(published.asked).toEqual(['shop']);
});

test('what nobody knows and nobody answers for is an error, and found once there is an answer', async () => {
  breakDown();
  await expect(find()).rejects.toMatchObject({ name: 'AppError' });
  published.before = async () => undefined;
  expect(await find()).toEqual(['one.html']);
});
