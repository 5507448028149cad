import { randomBytes } from 'node:crypto';
import { connectTo, until } from '@webkiln/rpc/testing';
import { createRepresentation, publicFile } from '../resolutions/representation.ts';
import { bodyOf, FakePublisher, shaOf } from '../testing/fake-publisher.ts';
import { Contents } from './contents.ts';

const kb = 1024;
const file = (fill: string, size: number) => ({ content: Buffer.alloc(size, fill) });
const [a, b, c] = [file('a', 40 * kb), file('b', 40 * kb), file('c', 40 * kb)];
const formOf = (of: typeof a, orgId = 'org') =>
  createRepresentation(
    orgId,
    { path: 'a.txt', sha256: shaOf(of), size: of.content.byteLength, content_type: 'text/plain', encodings: [] },
    '',
    publicFile,
  );

let published: FakePublisher;
let replica: Awaited<ReturnType<FakePublisher['serve']>>;
let peers: AsyncDisposable;
beforeEach(async () => {
  published = new FakePublisher();
  published.publish('shop', { a, b, c });
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
});
afterEach(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

test('concurrent loads of a file are one request, and its content is cached', async () => {
  const contents = new Contents(100 * kb);
  const loaded = await Promise.all(Array.from({ length: 20 }, () => contents.load(formOf(a))));
  expect(new Set(loaded).size).toBe(1);
  expect(contents.cached(formOf(a))?.content).toEqual(bodyOf(a));
  expect(published.loaded.length).toBe(1);
});

test('the cache stays within its size and evicts the least recently used content', async () => {
  const contents = new Contents(100 * kb);
  await contents.load(formOf(a));
  await contents.load(formOf(b));
  contents.cached(formOf(a));
  await contents.load(formOf(c));
  expect([a, b, c].map((of) => contents.cached(formOf(of)) !== undefined)).toEqual([true, false, true]);
});

test('a file larger than the cache is returned but not cached', async () => {
  const contents = new Contents(30 * kb);
  expect(await contents.loadAll(formOf(a))).toEqual(bodyOf(a));
  expect(contents.cached(formOf(a))).toBeUndefined();
});

test('cached content retains no other memory', async () => {
  const contents = new Contents(100 * kb);
  const { content: loaded } = await contents.load(formOf(a));
  expect(loaded.buffer.byteLength).toBe(loaded.byteLength);
});

test('concurrent loads stay within the size of the cache', async () => {
  const contents = new Contents(100 * kb);
  let inFlight = 0;
  let maxInFlight = 0;
  published.beforeReply = async () => {
    maxInFlight = Math.max(maxInFlight, ++inFlight);
    await new Promise(setImmediate);
    inFlight--;
  };
  await Promise.all([a, b, c].map((of) => contents.load(formOf(of, shaOf(of)))));
  expect(maxInFlight).toBe(2);
});

test('two files of an organization are loaded at once; another organization’s do not wait for the rest', async () => {
  const contents = new Contents(kb * kb);
  const held = Promise.withResolvers<void>();
  published.beforeReply = () => held.promise;
  const crowd = [a, b, c].map((of) => contents.load(formOf(of)));
  const other = contents.load(formOf(c, 'another'));
  await until(() => published.loaded.length === 3);
  expect(published.loaded).toEqual(expect.arrayContaining([a, b, c].map(shaOf)));
  held.resolve();
  await Promise.all([...crowd, other]);
  expect(published.loaded).toHaveLength(4);
});

test('a large file is loaded in parts of at most 512 KB, of which only as many as are asked for', async () => {
  const large = { content: randomBytes(1300 * kb) };
  published.publish('large', { large });
  const contents = new Contents(kb * kb);
  const parts: Buffer[] = [];
  for await (const part of contents.range(formOf(large), 600 * kb, 1299 * kb)) {
    expect(published.loaded.length).toBe(parts.length + 1);
    parts.push(part);
  }
  expect(parts.map(({ byteLength }) => byteLength / kb)).toEqual([424, 275 + 1 / kb]);
  expect(Buffer.concat(parts).equals(large.content.subarray(600 * kb, 1299 * kb + 1))).toBe(true);
});

test('a part that is shorter than it must be is an error', async () => {
  const contents = new Contents(100 * kb);
  await expect(contents.load({ ...formOf(a), maxBytes: 50 * kb })).rejects.toMatchObject({ code: 'unavailable' });
});

test('a failed load is not cached', async () => {
  const contents = new Contents(100 * kb);
  published.forget(a);
  await expect(contents.load(formOf(a))).rejects.toMatchObject({ code: 'file_not_found' });
  published.publish('shop', { a });
  expect(await contents.loadAll(formOf(a))).toEqual(bodyOf(a));
});

test('several of the largest publishable files load completely and concurrently', async () => {
  const mb = kb * kb;
  const large = ['x', 'y', 'z'].map((fill) => file(fill, 25 * mb));
  published.publish('large', Object.fromEntries(large.map((of, at) => [`${at}`, of])));
  const contents = new Contents(64 * mb);
  const loaded = await Promise.all(large.map((of) => contents.loadAll(formOf(of))));
  expect(loaded.map((content, at) => content.equals(bodyOf(large[at] as typeof a)))).toEqual([true, true, true]);
});

test('beyond a thousand waiting loads, a load is refused as overloaded', async () => {
  const contents = new Contents(1);
  const held = Promise.withResolvers<void>();
  published.beforeReply = () => held.promise;
  const loads = Array.from({ length: 1001 }, (_, at) => contents.load(formOf({ content: Buffer.from(`${at}`) })));
  const settled = Promise.allSettled(loads);
  await expect(contents.load(formOf(a))).rejects.toMatchObject({ code: 'overloaded' });
  held.resolve();
  expect((await settled).map(({ status }) => status)).toEqual(loads.map(() => 'rejected'));
  expect(await contents.loadAll(formOf(a))).toEqual(bodyOf(a));
});
