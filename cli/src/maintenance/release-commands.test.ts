import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeStreams } from '@webkiln/events/testing';
import { generateSigningKey } from '@webkiln/rpc';
import { startProcess } from '@webkiln/runtime/testing';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { webkilnOfSources } from '../testing/command-line.ts';

const main = path.resolve(__dirname, '../../../services/clients-plans/src/main.ts');
const prefix = `test_${randomBytes(6).toString('hex')}`;
const { MONGODB_URL = '', NATS_URL } = process.env;
const migrate = (...words: string[]) =>
  webkilnOfSources(['migrate', '--service', 'clients-plans', ...words], { MONGODB_URL, MONGODB_PREFIX: prefix });

afterAll(async () => {
  await removeStreams(prefix);
  const database = await mongoose.createConnection(MONGODB_URL, { dbName: `${prefix}_clients_plans` }).asPromise();
  await database.dropDatabase();
  await database.close();
});

test('the settings of a process are checked without starting it: what is missing or wrong is named, and no value of a secret', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'webkiln-')), '.env');
  const settings = ['GRPC_PORT=9000', 'ORIGIN=app.example.com', 'PRINCIPAL_SIGNING_KEY=not-a-key'];
  writeFileSync(file, settings.join('\n'));
  const check = () => webkilnOfSources(['config', 'check', '--process', 'mcp', '--env-file', file], {});
  const { code, err } = await check();
  expect(code).toBe(1);
  expect(err).toContain('ORIGIN must be the public address');
  expect(err).toContain('IDENTITY_ADDRESS is not set');
  expect(err).not.toContain('not-a-key');
  const { privateKey, publicKey } = generateSigningKey();
  const names = ['IDENTITY', 'CLIENTS_PLANS', 'PROJECTS_TEMPLATES', 'ANALYTICS', 'WEBHOOKS', 'SITES', 'EMBED'];
  const peers = names.map((peer) => `${peer}_ADDRESS=127.0.0.1:9000`);
  const keys = [`PRINCIPAL_SIGNING_KEY=${privateKey}`, `PRINCIPAL_TRUSTED_KEYS=gateway:${publicKey}`];
  const own = ['GRPC_PORT=9000', 'ORIGIN=https://app.example.com', 'DOCS_DIR=/docs'];
  writeFileSync(file, [...own, ...peers, ...keys].join('\n'));
  expect(await check()).toEqual({ code: 0, out: 'mcp: the settings are valid', err: '' });
  rmSync(path.dirname(file), { recursive: true });
});

test('a service that does not migrate at its start is unready, says which command it waits for, and becomes ready by itself', async () => {
  const port = await freePort();
  const started = startProcess(main, {
    ...{ MONGODB_URL, NATS_URL, MONGODB_PREFIX: prefix, EVENTS_PREFIX: prefix, MIGRATE_AT_START: 'false' },
    ...{ INTERNAL_PORT: `${port}`, ORIGIN: 'http://localhost', MAIL_DIR: path.join(__dirname, 'unused'), IDENTITY_ADDRESS: '127.0.0.1:1' },
    INVITATION_SECRET: randomBytes(32).toString('base64'),
    PRINCIPAL_SIGNING_KEY: generateSigningKey().privateKey,
    PRINCIPAL_TRUSTED_KEYS: `gateway:${generateSigningKey().publicKey}`,
  });
  const readiness = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  let reason: string | undefined;
  await until(async () => {
    const answer = await readiness();
    reason = await answer?.text();
    return answer?.status === 503 && reason?.includes('migrate') === true;
  });
  expect(reason).toMatch(/^run `migrate` of clients-plans \(main\.js migrate\): index \S+ is missing/);

  expect(await migrate('--check')).toMatchObject({ code: 1, err: expect.stringContaining('Not migrated: clients-plans') });
  expect(await migrate()).toMatchObject({ code: 0, out: expect.stringContaining('clients-plans: the database is migrated') });
  const { stop } = await started;
  expect((await readiness())?.status).toBe(200);
  expect(await migrate('--check')).toMatchObject({ code: 0, out: 'clients-plans: the database is migrated' });
  expect(await stop()).toBe(0);
});
