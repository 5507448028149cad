import { connectTo } from '@webkiln/rpc/testing';
import { Resolutions } from '../resolutions/resolutions.ts';
import { resolveSite } from '../resolutions/resolve.ts';
import { publishedSites } from '../serving/domain.ts';
import { Published } from '../testing/served-sites.ts';
import { tlsAsk } from './tls-ask.ts';

const published = new Published();
let replica: Awaited<ReturnType<Published['serve']>>;
let peers: AsyncDisposable;
let ask: (query: string) => Promise<number>;
beforeAll(async () => {
  published.publish('shop', { 'index.html': { content: 'Home' } });
  published.publish('paused', { 'index.html': { content: 'Home' } }, { suspended: true });
  published.draft('a'.repeat(26), { 'index.html': { content: 'Draft' } });
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
  const resolutions = new Resolutions({ resolve: resolveSite, feedIsLive: () => true, canAsk: () => true });
  const answer = tlsAsk(publishedSites('sites.test', resolutions));
  ask = async (query) => (await answer(new URLSearchParams(query))).status;
});
afterAll(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

test.each(['shop.sites.test', 'SHOP.sites.test', 'shop.sites.test.', 'paused.sites.test'])('%s may have a certificate', async (domain) => {
  expect(await ask(`domain=${domain}`)).toBe(200);
});

test.each([
  'domain=nobody.sites.test',
  'domain=sites.test',
  'domain=a.shop.sites.test',
  'domain=shop.sites.test.evil.example',
  'domain=shop.sites.test:443',
  `domain=${'a'.repeat(300)}.sites.test`,
  'domain=',
  '',
  'host=shop.sites.test',
])('"%s" is refused', async (query) => {
  expect(await ask(query)).toBe(404);
});

test('a preview has none, whose name every certificate would publish', async () => {
  expect(await ask(`domain=${'a'.repeat(26)}.preview.test`)).toBe(404);
});

test('asking again asks nobody', async () => {
  await ask('domain=shop.sites.test');
  const asked = published.asked.length;
  await Promise.all(Array.from({ length: 20 }, () => ask('domain=shop.sites.test')));
  expect(published.asked.length).toBe(asked);
});

test('what nobody can tell is 503; what was known is told on', async () => {
  published.before = () => Promise.reject(new Error('down'));
  expect(await ask('domain=unasked.sites.test')).toBe(503);
  expect(await ask('domain=shop.sites.test')).toBe(200);
  published.before = async () => undefined;
});
