import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ArchivedMessage, StreamArchive } from '@webkiln/events/archive';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { restic, s3Server, supplyProgram } from '../../../tools/dev-platform/src/index.ts';
import { webkiln } from '../testing/command-line.ts';

const { MongoClient, Long, Decimal128, Binary } = mongoose.mongo;
const prefix = `test_${randomBytes(6).toString('hex')}`;
const parent = mkdtempSync(path.join(tmpdir(), 'webkiln-restore-'));
const client = new MongoClient(process.env.MONGODB_URL ?? '');
const database = client.db(`${prefix}_webhooks`);
const secrets = { KEY_PEPPER: 'new:second,old:first', AUTH_SECRET: 'third' };
const event = { subject: `${prefix}events.client.created`, headers: [['Nats-Msg-Id', ['one']]] as const, data: 'e30=' };
const folder = path.join(parent, 'backup');
const documents = [
  { _id: 'a', long: Long.fromNumber(1), double: 1.0, text: 'ünïcödé', nested: { list: [null, true], at: new Date(0) } },
  { _id: 'b', decimal: Decimal128.fromString('1.10'), bytes: new Binary(Buffer.from([0, 255])) },
];

const report = (part: string, line: string) => process.stderr.write(`${part}: ${line}\n`);
let archive: StreamArchive;
let backedUp: Awaited<ReturnType<typeof webkiln>>;
const run = (words: readonly string[], env: NodeJS.ProcessEnv = secrets) =>
  webkiln([...words, '--json'], {
    ...{ MONGODB_URL: process.env.MONGODB_URL ?? '', NATS_URL: process.env.NATS_URL ?? '' },
    ...{ MONGODB_PREFIX: prefix, EVENTS_PREFIX: prefix, ...env },
  });
const restore = (from = folder, more: readonly string[] = [], env?: NodeJS.ProcessEnv) => run(['restore', '--from', from, ...more], env);
const replace = ['--replace', '--confirm', prefix];
const stored = () =>
  database
    .collection('records')
    .find({}, { raw: true, sort: { _id: 1 } })
    .toArray();
async function events() {
  const found: ArchivedMessage[] = [];
  for await (const message of archive.messages('EVENTS', { after: 0, through: (await archive.ends()).EVENTS })) found.push(message);
  return found;
}

beforeAll(async () => {
  archive = await StreamArchive.open(process.env.NATS_URL ?? '', prefix);
  await database.collection<{ _id: string }>('records').insertMany(documents);
  await database.collection('records').createIndex({ text: 1 }, { unique: true, sparse: true, name: 'by_text' });
  await archive.publish(
    'EVENTS',
    (async function* () {
      yield event;
    })(),
  );
  backedUp = await run(['backup', '--to', folder]);
});
afterAll(async () => {
  await archive.clear();
  await archive.close();
  await database.dropDatabase();
  await client.close();
  rmSync(parent, { recursive: true });
});

test('a backup names the secrets that it was not given', () => {
  const err = expect.stringContaining('Not given: INVITATION_SECRET, PREVIEW_SECRET, WEBHOOK_SECRET_KEYS.');
  expect(backedUp).toMatchObject({ code: 0, err });
});

test('a restored platform has the same bytes, indexes and waiting events as the one that was backed up', async () => {
  const before = await stored();
  await database.dropDatabase();
  await archive.clear();
  expect(await restore()).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(before);
  expect(await database.collection('records').indexes()).toContainEqual({
    v: 2,
    key: { text: 1 },
    name: 'by_text',
    unique: true,
    sparse: true,
  });
  expect(await events()).toEqual([event]);
});

test('--replace goes back to the backup, whatever was written since', async () => {
  await database.collection<{ _id: string }>('records').insertOne({ _id: 'later' });
  expect(await restore(folder, replace)).toMatchObject({ code: 0 });
  expect(await database.collection('records').countDocuments()).toBe(documents.length);
  expect(await events()).toEqual([event]);
});

test.each([
  ['databases that exist', folder, [], secrets, 'There are databases already'],
  ['a replacement that is not confirmed', folder, ['--replace'], secrets, `add --confirm ${prefix}`],
  ['another pepper', folder, replace, { ...secrets, KEY_PEPPER: 'new:other' }, 'KEY_PEPPER (new) is not the one of the backup'],
  ['a missing secret', folder, replace, { KEY_PEPPER: secrets.KEY_PEPPER }, 'AUTH_SECRET is not the one of the backup'],
  ['a folder without a manifest', parent, replace, secrets, 'has no manifest.json'],
])('%s: restore refuses in a sentence and writes nothing', async (_name, from, more, env, sentence) => {
  await database.collection<{ _id: string }>('records').insertOne({ _id: 'kept' });
  expect(await restore(from, more, env)).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
  expect((await database.collection<{ _id: string }>('records').deleteOne({ _id: 'kept' })).deletedCount).toBe(1);
});

test('a damaged file is named, and nothing is written', async () => {
  const damaged = path.join(parent, 'damaged');
  cpSync(folder, damaged, { recursive: true });
  appendFileSync(path.join(damaged, `${prefix}_webhooks`, 'records.bson.gz'), 'x');
  await database.collection<{ _id: string }>('records').insertOne({ _id: 'kept' });
  const err = expect.stringContaining('records.bson.gz is damaged or missing');
  expect(await restore(damaged, replace)).toMatchObject({ code: 1, err });
  expect((await database.collection<{ _id: string }>('records').deleteOne({ _id: 'kept' })).deletedCount).toBe(1);
});

test('secrets in another order or with more beside them are the same, and --without-secrets-check needs none', async () => {
  expect(await restore(folder, replace, { KEY_PEPPER: 'x:zero,old:first,new:second', AUTH_SECRET: 'third' })).toMatchObject({ code: 0 });
  expect(await restore(folder, [...replace, '--without-secrets-check'], {})).toMatchObject({ code: 0 });
});

test('a backup goes to an S3 server encrypted, and one command restores it from there', async () => {
  const [port, program] = [await freePort(), await supplyProgram(s3Server, report)];
  const server = spawn(program, ['-backend', 'mem', '-host', `127.0.0.1:${port}`, '-initialbucket', 'kiln'], { stdio: 'ignore' });
  try {
    await until(() =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      ),
    );
    const RESTIC_PATH = await supplyProgram(restic, report);
    const env = { ...secrets, RESTIC_PATH, RESTIC_PASSWORD: 'lock', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const there = ['--repository', `s3:http://127.0.0.1:${port}/kiln/backups`];
    const parent = mkdtempSync(path.join(tmpdir(), 'webkiln-sent-'));
    for (const _ of [1, 2, 3]) {
      expect(await run(['backup', '--in', parent, '--keep', '2', ...there], env)).toMatchObject({ code: 0 });
      await database.collection<{ _id: string }>('records').updateOne({ _id: 'a' }, { $inc: { sent: 1 } });
    }
    const listed = JSON.parse((await run(['backups', ...there], env)).out) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(readdirSync(parent).toSorted());
    const keys = await (await fetch(`http://127.0.0.1:${port}/kiln?list-type=2`)).text();
    const contents = await Promise.all(
      [...keys.matchAll(/<Key>([^<]+)<\/Key>/g)].map(async ([, key]) => (await fetch(`http://127.0.0.1:${port}/kiln/${key}`)).text()),
    );
    expect(contents.length).toBeGreaterThan(4);
    expect(contents.join('')).not.toMatch(/manifest|webhooks/);

    await database.collection('records').deleteMany({});
    expect((await run(['restore', '--from', 'latest', ...there], secrets)).err).toContain('Set RESTIC_PASSWORD_FILE');
    const restored = await run(['restore', '--from', 'latest', ...there, ...replace], env);
    expect(restored).toMatchObject({ code: 0 });
    expect(await database.collection<{ _id: string }>('records').findOne({ _id: 'a' })).toMatchObject({ sent: 2 });
    const wrong = await run(['restore', '--from', 'latest', ...there, ...replace], { ...env, RESTIC_PASSWORD: 'other' });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('wrong password') });
    rmSync(parent, { recursive: true });
  } finally {
    server.kill();
  }
});
