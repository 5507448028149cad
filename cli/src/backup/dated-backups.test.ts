import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import mongoose from 'mongoose';
import { webkiln } from '../testing/command-line.ts';
import { datedName } from './dated-backups.ts';

const prefix = `test_${randomBytes(6).toString('hex')}`;
const client = new mongoose.mongo.MongoClient(process.env.MONGODB_URL ?? '');
const database = client.db(`${prefix}_embed`);
/** A platform with a collection whose name is too long for a file. */
const broken = `${prefix}b`;
const brokenDatabase = client.db(`${broken}_embed`);
let parent: string;

const run = (words: readonly string[], used = prefix, env: Record<string, string> = {}) =>
  webkiln([...words, '--json'], {
    ...{ MONGODB_URL: process.env.MONGODB_URL ?? '', NATS_URL: process.env.NATS_URL ?? '' },
    ...{ MONGODB_PREFIX: used, EVENTS_PREFIX: used, ...env },
  });
const backup = (...more: string[]) => run(['backup', '--in', parent, ...more]);
const listed = async () => JSON.parse((await run(['backups', '--in', parent])).out).map(({ name }: { name: string }) => name);

/** A folder as a backup of `of` leaves it; without a manifest it is not complete. */
function makeFolder(name: string, { of = prefix, isComplete = true } = {}): string {
  mkdirSync(path.join(parent, name, `${of}_embed`), { recursive: true });
  const manifest = JSON.stringify({ format: 2, prefix: of, taken_at: '2026-01-01T00:00:00.000Z' });
  if (isComplete) writeFileSync(path.join(parent, name, 'manifest.json'), manifest);
  return name;
}

beforeAll(async () => {
  await database.collection('records').insertOne({ name: 'one' });
  await brokenDatabase.createCollection('ü'.repeat(60));
});
beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'webkiln-backups-'));
});
afterEach(() => rmSync(parent, { recursive: true }));
afterAll(async () => {
  await database.dropDatabase();
  await brokenDatabase.dropDatabase();
  await client.close();
});

const days = ['2026-01-01T02-00-00Z', '2026-01-02T02-00-00Z', '2026-01-03T02-00-00Z', '2026-01-04T02-00-00Z'] as const;

test('--keep removes the oldest complete backups once the new one is complete, and `backups` lists the rest', async () => {
  for (const name of days) makeFolder(name);
  const { code, out } = await backup('--keep', '3');
  const newest = path.basename(JSON.parse(out).folder);
  expect({ code, newest }).toEqual({ code: 0, newest: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ$/) });
  expect(await listed()).toEqual([...days.slice(2), newest]);
  expect(readdirSync(parent).toSorted()).toEqual([...days.slice(2), newest]);
});

test.each([
  ['before it writes', prefix, { MONGODB_URL: 'mongodb://127.0.0.1:1/' }, 'MongoDB does not answer'],
  ['while it writes', broken, {}, 'ENAMETOOLONG'],
])('a backup that fails %s removes no complete one, and leaves nothing of itself', async (_when, used, env, reason) => {
  for (const name of days) makeFolder(name, { of: used });
  const { code, err } = await run(['backup', '--in', parent, '--keep', '1'], used, env);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(reason) });
  expect(readdirSync(parent).toSorted()).toEqual([...days]);
});

test('--keep removes nothing but backups of its platform: no other folder or file, no later backup, and not the one that it wrote', async () => {
  const later = makeFolder('2999-01-01T02-00-00Z');
  const others = [makeFolder(days[0], { of: `other_${prefix}` }), makeFolder('2026-01-02'), makeFolder('by-hand')];
  mkdirSync(path.join(parent, days[1]));
  writeFileSync(path.join(parent, days[1], 'notes.txt'), 'kept');
  writeFileSync(path.join(parent, days[2]), 'a file');
  const { code, out } = await backup('--keep', '1');
  expect(code).toBe(0);
  expect(readdirSync(parent).toSorted()).toEqual([...others, days[1], days[2], later, path.basename(JSON.parse(out).folder)].toSorted());
});

test('a folder without a manifest stays for a day, because it may be written, and does not count as a backup', async () => {
  const written = makeFolder(datedName(new Date(Date.now() - 60_000)), { isComplete: false });
  makeFolder(days[3], { isComplete: false });
  makeFolder(days[0]);
  const { code, out } = await backup('--keep', '2');
  expect(code).toBe(0);
  expect(readdirSync(parent).toSorted()).toEqual([days[0], written, path.basename(JSON.parse(out).folder)].toSorted());
});

test('a removal that fails does not fail the backup, and is said', async () => {
  makeFolder(days[0]);
  // The manifest cannot be renamed to a folder, whoever tries.
  mkdirSync(path.join(parent, days[0], 'manifest.json.part'));
  const { code, err } = await backup('--keep', '1');
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Earlier backups could not be removed') });
});

test.each([
  [['backup']],
  [['backup', '--in', 'a', '--to', 'b']],
  [['backup', '--to', 'b', '--keep', '1']],
  [['backup', '--in', 'a', '--keep', '0']],
])('%j is a wrong call', async (words) => {
  expect(await run(words)).toMatchObject({ code: 2, out: '' });
});
