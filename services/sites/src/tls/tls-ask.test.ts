import { connectTo } from '@webkiln/rpc/testing';
import { ResolutionCache } from '../resolutions/resolution-cache.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { publishedSites } from '../serving/domain.ts';
import { FakePublisher } from '../testing/fake-publisher.ts';
import { tlsAsk } from './tls-ask.ts';

const published = new FakePublisher();
let replica: Awaited<ReturnType<FakePublisher['serve']>>;
let peers: AsyncDisposable;
let statusOf: (query: string) => Promise<number>;
beforeAll(async () => {
  published.publish('shop', { 'index.html': { content: 'Home' } });
  published.publish('www.shop.example', { 'index.html': { content: 'Home' } });
  published.publish('paused', { 'index.html': { content: 'Home' } }, { suspended: true });
  published.move('left', 'https://shop.sites.test');
  published.draft('a'.repeat(26), { 'index.html': { content: 'Draft' } });
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
  const resolutions = new ResolutionCache({ resolve: resolveSite, feedIsLive: () => true, isReachable: () => true });
  const handle = tlsAsk(publishedSites('sites.test', ['preview.test'], resolutions));
  statusOf = async (query) => (await handle(new URLSearchParams(query))).status;
});
afterAll(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

test.each([
  'www.shop.example',
  'WWW.shop.example.',
  'shop.sites.test',
  'SHOP.sites.test',
  'shop.sites.test.',
  'paused.sites.test',
  'left.sites.test',
])('%s may have a certificate', async (domain) => {
  expect(await statusOf(`domain=${domain}`)).toBe(200);
});

test.each([
  'domain=nobody.sites.test',
  'domain=sites.test',
  'domain=unknown.example',
  'domain=192.0.2.1',
  'domain=a.shop.sites.test',
  'domain=shop.sites.test.evil.example',
  'domain=shop.sites.test:443',
  `domain=${'a'.repeat(300)}.sites.test`,
  'domain=',
  '',
  'host=shop.sites.test',
])('"%s" is refused', async (query) => {
  expect(await statusOf(query)).toBe(404);
});

test('a preview gets no certificate, because certificate logs would publish its secret name', async () => {
  expect(await statusOf(`domain=${'a'.repeat(26)}.preview.test`)).toBe(404);
});

test('repeated requests are answered from the cache', async () => {
  await statusOf('domain=shop.sites.test');
  const before = published.lookups.length;
  await Promise.all(Array.from({ length: 20 }, () => statusOf('domain=shop.sites.test')));
  expect(published.lookups.length).toBe(before);
});

test('a failed lookup is 503; a cached name keeps its response', async () => {
  published.beforeReply = () => Promise.reject(new Error('down'));
  expect(await statusOf('domain=uncached.sites.test')).toBe(503);
  expect(await statusOf('domain=shop.sites.test')).toBe(200);
  published.beforeReply = async () => undefined;
});
