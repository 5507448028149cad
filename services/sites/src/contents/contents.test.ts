import { connectTo } from '@webkiln/rpc/testing';
import { cacheControl } from '../resolutions/cache-control.ts';
import { representationOf } from '../resolutions/representation.ts';
import { bodyOf, Published, shaOf } from '../testing/served-sites.ts';
import { Contents } from './contents.ts';

const kb = 1024;
const file = (fill: string, size: number) => ({ content: Buffer.alloc(size, fill) });
const [a, b, c] = [file('a', 40 * kb), file('b', 40 * kb), file('c', 40 * kb)];
const formOf = (of: typeof a) =>
  representationOf('org', { sha256: shaOf(of), size: of.content.byteLength, content_type: 'text/plain', encodings: [] }, '', cacheControl);

let published: Published;
let replica: Awaited<ReturnType<Published['serve']>>;
let peers: AsyncDisposable;
beforeEach(async () => {
  published = new Published();
  published.publish('shop', { a, b, c });
  replica = await published.serve();
  peers = connectTo('carried', [replica.port]);
});
afterEach(async () => {
  await peers[Symbol.asyncDispose]();
  await replica.drain();
});

test('the bytes are asked for once, by whoever comes first, and then kept', async () => {
  const contents = new Contents(100 * kb);
  const loaded = await Promise.all(Array.from({ length: 20 }, () => contents.load(formOf(a))));
  expect(new Set(loaded).size).toBe(1);
  expect(contents.cached(formOf(a))).toEqual(bodyOf(a));
  expect(published.loaded.length).toBe(1);
});

test('what is kept stays within its bytes: those that were used longest ago go', async () => {
  const contents = new Contents(100 * kb);
  await contents.load(formOf(a));
  await contents.load(formOf(b));
  contents.cached(formOf(a));
  await contents.load(formOf(c));
  expect([a, b, c].map((of) => contents.cached(formOf(of)) !== undefined)).toEqual([true, false, true]);
});

test('a file that is larger than all that may be kept is given and not kept', async () => {
  const contents = new Contents(30 * kb);
  expect(await contents.load(formOf(a))).toEqual(bodyOf(a));
  expect(contents.cached(formOf(a))).toBeUndefined();
});

test('kept bytes keep nothing else in memory', async () => {
  const contents = new Contents(100 * kb);
  const loaded = await contents.load(formOf(a));
  expect(loaded.buffer.byteLength).toBe(loaded.byteLength);
});

test('no more is loaded at once than may be kept', async () => {
  const contents = new Contents(100 * kb);
  let atOnce = 0;
  let most = 0;
  published.before = async () => {
    most = Math.max(most, ++atOnce);
    await new Promise(setImmediate);
    atOnce--;
  };
  await Promise.all([a, b, c].map((of) => contents.load(formOf(of))));
  expect(most).toBe(2);
});

test('a load that fails is not remembered', async () => {
  const contents = new Contents(100 * kb);
  published.forget(a);
  await expect(contents.load(formOf(a))).rejects.toMatchObject({ code: 'file_not_found' });
  published.publish('shop', { a });
  expect(await contents.load(formOf(a))).toEqual(bodyOf(a));
});

test('the largest files that can be published come whole, several at once', async () => {
  const mb = kb * kb;
  const large = ['x', 'y', 'z'].map((fill) => file(fill, 25 * mb));
  published.publish('large', Object.fromEntries(large.map((of, at) => [`${at}`, of])));
  const contents = new Contents(64 * mb);
  const loaded = await Promise.all(large.map((of) => contents.load(formOf(of))));
  expect(loaded.map((content, at) => content.equals(bodyOf(large[at] as typeof a)))).toEqual([true, true, true]);
});
