import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { until } from '@webkiln/store/testing';
import { bodyOf, FakePublisher, type TestFile } from '../testing/fake-publisher.ts';
import { serveSites } from '../testing/served-sites.ts';

const mb = 1024 * 1024;
const film: TestFile = { content: randomBytes(20 * mb + 1), type: 'video/mp4' };
const text: TestFile = { content: randomBytes(2 * mb).toString('hex'), type: 'text/plain', prepared: true };
const parts = 41;

type Sites = Awaited<ReturnType<typeof serveSites>>;

/** Publishes the files and counts the parts that are loaded of them. Caches nothing. */
async function served(bounds: { unsentBytes?: number; unsentBytesPerNetwork?: number } = {}) {
  const published = new FakePublisher();
  published.publish('shop', { 'index.html': { content: 'Home' }, 'film.mp4': film, 'text.txt': text });
  const sites = await serveSites(published, { cacheBytes: 1, ...bounds });
  // The first look-up has a deadline, which a busy machine may miss; the outcome is kept.
  await until(async () => (await sites.visit('/')).status === 200);
  published.loaded.length = 0;
  return { published, sites };
}

/** Asks for the film and reads nothing of it. */
async function unread({ port }: Sites, network = '198.51.100.1'): Promise<IncomingMessage> {
  const headers = { host: 'shop.sites.test', 'x-webkiln-client-address': network };
  const sent = request({ host: '127.0.0.1', port, path: '/film.mp4', headers, agent: false }).end();
  const [response] = await once(sent, 'response');
  return response.on('error', () => undefined);
}

test('a large file is byte-equal, as a whole, in ranges, compressed, and for a reader that pauses', async () => {
  const { sites } = await served();
  await using _ = sites;
  const whole = await sites.visit('/film.mp4');
  expect([whole.status, whole.headers['content-length'], whole.body.equals(bodyOf(film))]).toEqual([200, String(20 * mb + 1), true]);
  for (const [range, start, end] of [
    ['bytes=5-', 5, 20 * mb],
    ['bytes=524287-524288', 524_287, 524_288],
    ['bytes=-1', 20 * mb, 20 * mb],
  ] as const) {
    const { status, headers, body } = await sites.visit('/film.mp4', { headers: { range } });
    expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/${20 * mb + 1}`]);
    expect(body.equals(bodyOf(film).subarray(start, end + 1))).toBe(true);
  }
  const zipped = await sites.visit('/text.txt', { headers: { 'accept-encoding': 'gzip' } });
  expect([zipped.headers['content-encoding'], gunzipSync(zipped.body).equals(bodyOf(text))]).toEqual(['gzip', true]);
  const slow = await unread(sites);
  const received: Buffer[] = [];
  for await (const chunk of slow) {
    received.push(chunk);
    if (received.length % 50 === 0) await pause(1);
  }
  expect(Buffer.concat(received).equals(bodyOf(film))).toBe(true);
});

test('HEAD of a large file loads only its first part', async () => {
  const { published, sites } = await served();
  await using _ = sites;
  const { status, headers, body } = await sites.visit('/film.mp4', { method: 'HEAD' });
  expect([status, headers['content-length'], body.byteLength]).toEqual([200, String(20 * mb + 1), 0]);
  expect(published.loaded.length).toBe(1);
});

test('of a file that nobody reads, only what the connection holds is loaded, and others are served', async () => {
  const { published, sites } = await served();
  await using _ = sites;
  const reader = await unread(sites);
  // Takes longer than all that the reader could have been sent meanwhile.
  expect((await sites.visit('/film.mp4')).body.equals(bodyOf(film))).toBe(true);
  expect((await sites.visit('/')).status).toBe(200);
  expect(published.loaded.length).toBeLessThan(2 * parts - 10);
  reader.destroy();
});

test('a file whose part cannot be loaded is cut off, never complete', async () => {
  const { published, sites } = await served();
  await using _ = sites;
  const reader = await unread(sites);
  published.forget(film);
  await expect(reader.toArray()).rejects.toThrow('aborted');
});

test('readers of large files have a bound in all and per network; small files have none, and a reader that leaves makes room', async () => {
  const { sites } = await served({ unsentBytes: 3 * mb, unsentBytesPerNetwork: 2 * mb });
  await using _ = sites;
  const statusOf = async (network: string) => (await unread(sites, network)).statusCode;
  const first = await unread(sites);
  expect([first.statusCode, await statusOf('198.51.100.1'), await statusOf('198.51.100.1')]).toEqual([200, 200, 503]);
  expect([await statusOf('198.51.100.2'), await statusOf('198.51.100.2')]).toEqual([200, 503]);
  const refused = await unread(sites);
  expect(refused.headers['retry-after']).toBe('2');
  expect((await sites.visit('/')).status).toBe(200);
  first.destroy();
  await until(async () => (await statusOf('198.51.100.1')) === 200);
});
