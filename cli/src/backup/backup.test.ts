import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import mongoose from 'mongoose';
import { webkiln } from '../testing/command-line.ts';

const { MongoClient, BSON } = mongoose.mongo;
const prefix = `test_${randomBytes(6).toString('hex')}`;
const parent = mkdtempSync(path.join(tmpdir(), 'webkiln-backup-'));
const client = new MongoClient(process.env.MONGODB_URL ?? '');
const databases = ['analytics', 'embed', 'webhooks'].map((name) => client.db(`${prefix}_${name}`));
const [first, middle, last] = databases.map((database) => database.collection<{ _id: number }>('writes'));

beforeAll(async () => {
  for (const database of databases) await database.createCollection('writes');
  await first?.createIndex({ name: 1 }, { unique: true, sparse: true, name: 'by_name' });
  const filler = randomBytes(2_000).toString('hex');
  await middle?.insertMany(Array.from({ length: 10_000 }, (_, _id) => ({ _id, filler })));
});
afterAll(async () => {
  for (const database of databases) await database.dropDatabase();
  await client.close();
  rmSync(parent, { recursive: true });
});

const backup = (name: string, used = prefix) =>
  webkiln(['backup', '--to', path.join(parent, name), '--json'], {
    ...{ MONGODB_URL: process.env.MONGODB_URL ?? '', NATS_URL: process.env.NATS_URL ?? '' },
    ...{ MONGODB_PREFIX: used, EVENTS_PREFIX: used },
  });

const content = (...names: string[]) => readFileSync(path.join(parent, ...names));

function documentsIn(file: Buffer): Buffer[] {
  const bytes = gunzipSync(file);
  const documents = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + bytes.readInt32LE(at);
    documents.push(bytes.subarray(at, end));
    at = end;
  }
  return documents;
}

test('a backup under writes has all databases as they were at one moment', async () => {
  let written = 0;
  let isOver = false;
  // A write to the first database comes before its pair in the last, so that one moment has at most one unpaired.
  const writing = (async () => {
    for (; !isOver; written++) {
      await first?.insertOne({ _id: written }, { writeConcern: { w: 'majority' } });
      await last?.insertOne({ _id: written }, { writeConcern: { w: 'majority' } });
    }
  })();
  while (written < 5) await new Promise(setImmediate);
  const before = written;
  const { code, err } = await backup('under-writes');
  const after = written;
  isOver = true;
  await writing;
  expect({ code, err }).toMatchObject({ code: 0 });
  const [ofFirst = 0, ofLast = 0] = ['analytics', 'webhooks'].map(
    (name) => documentsIn(content('under-writes', `${prefix}_${name}`, 'writes.bson.gz')).length,
  );
  expect(ofLast).toBeGreaterThanOrEqual(before);
  expect(ofFirst - ofLast).toBeGreaterThanOrEqual(0);
  expect(ofFirst - ofLast).toBeLessThanOrEqual(1);
  expect(after).toBeGreaterThan(ofFirst);
});

test('every document and index is in the files, which only the owner may read, and the manifest tells their hashes', async () => {
  expect(await backup('whole')).toMatchObject({ code: 0 });
  const manifest = JSON.parse(content('whole', 'manifest.json').toString());
  expect(manifest).toMatchObject({ format: 2, prefix });
  expect(manifest.collections).toHaveLength(databases.length);
  for (const { database, collection, documents, sha256, checksum, metadata_sha256 } of manifest.collections) {
    const [file, metadata] = [`${collection}.bson.gz`, `${collection}.metadata.json.gz`];
    const stored = await client
      .db(database)
      .collection(collection)
      .find({}, { sort: { _id: -1 }, raw: true })
      .toArray();
    const digests = stored.map((document) =>
      BigInt(
        `0x${createHash('sha256')
          .update(document as unknown as Buffer)
          .digest('hex')}`,
      ),
    );
    const sum = BigInt.asUintN(
      256,
      digests.reduce((total, digest) => total + digest, 0n),
    );
    expect({ documents, checksum }).toEqual({ documents: stored.length, checksum: sum.toString(16).padStart(64, '0') });
    expect(documentsIn(content('whole', database, file))).toHaveLength(documents);
    expect(
      createHash('sha256')
        .update(content('whole', database, file))
        .digest('hex'),
    ).toBe(sha256);
    expect(
      createHash('sha256')
        .update(content('whole', database, metadata))
        .digest('hex'),
    ).toBe(metadata_sha256);
    expect(statSync(path.join(parent, 'whole', database, file)).mode & 0o777).toBe(0o600);
  }
  const { indexes } = BSON.EJSON.parse(gunzipSync(content('whole', `${prefix}_analytics`, 'writes.metadata.json.gz')).toString());
  expect(indexes).toContainEqual({ v: 2, key: { name: 1 }, name: 'by_name', unique: true, sparse: true });
});

test('a folder that exists is left alone, and a platform that does not exist makes none', async () => {
  expect(await backup('taken')).toMatchObject({ code: 0 });
  const manifest = content('taken', 'manifest.json');
  expect(await backup('taken')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not exist yet') });
  expect(content('taken', 'manifest.json')).toEqual(manifest);
  expect(await backup('nothing', `${prefix}_none`)).toMatchObject({ code: 1, err: expect.stringContaining('There is no database') });
  expect(existsSync(path.join(parent, 'nothing'))).toBe(false);
});

test('a MongoDB that does not answer is said in a sentence', async () => {
  const words = ['backup', '--to', path.join(parent, 'unreachable')];
  const err = expect.stringContaining('MongoDB does not answer: is it running');
  const env = { MONGODB_URL: 'mongodb://127.0.0.1:1/', NATS_URL: process.env.NATS_URL ?? '' };
  expect(await webkiln(words, env)).toEqual({ code: 1, out: '', err });
});
