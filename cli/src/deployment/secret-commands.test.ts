import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { natsAccounts, natsAdministrator, natsPasswordVariable } from '@webkiln/events/permissions';
import { processes } from '@webkiln/messages';
import { assertSecretsKnown, fingerprintsOf, knownFingerprints } from '../backup/secret-fingerprints.ts';
import { webkiln } from '../testing/command-line.ts';

const keys = (manifest: string) =>
  Object.fromEntries([...manifest.matchAll(/^ {2}([A-Z_]+): "(.*)"$/gm)].map(([, key, value]) => [key, value]));
const create = async (...options: string[]) => {
  const { code, out } = await webkiln(['secrets', 'create', '--namespace', 'kiln', ...options], {});
  expect(code).toBe(0);
  const manifests = out.split('---\n').map((text) => [/name: (\S+)/.exec(text)?.[1] ?? '', text] as const);
  return Object.fromEntries(manifests);
};

const external = ['--nats-url', 'tls://nats.example:4222'];

test('secrets create prints a Secret for each process, operators, backups, restores and the small stores, all in the namespace', async () => {
  const secrets = await create();
  const names = [...Object.keys(processes), 'operator', 'backup', 'restore', 'mongodb', 'nats', 'redis'].map((name) => `webkiln-${name}`);
  expect(Object.keys(secrets).toSorted()).toEqual(names.toSorted());
  for (const text of Object.values(secrets)) expect(text).toContain('namespace: kiln\n');
});

test('the URLs of stores and of the mail server are only in the Secrets of processes that use them', async () => {
  const secrets = await create('--mongodb-url', 'mongodb://u:p@db/', '--smtp-url', 'smtps://u:p@mail');
  expect(keys(secrets['webkiln-identity'] ?? '')).toMatchObject({ MONGODB_URL: 'mongodb://u:p@db/', SMTP_URL: 'smtps://u:p@mail' });
  expect(keys(secrets['webkiln-mcp'] ?? '')).toEqual({
    PRINCIPAL_SIGNING_KEY: expect.any(String),
    PRINCIPAL_TRUSTED_KEYS: expect.any(String),
  });
});

test.each([
  ['of the small server', [], 'nats://nats:4222'],
  ['with --nats-users', [...external, '--nats-users'], 'tls://nats.example:4222'],
])('each process has a user of NATS of its own %s, with the password that the server has', async (_case, options, url) => {
  const secrets = await create(...options);
  const passwords = keys(secrets['webkiln-nats'] ?? '');
  expect(new Set(Object.values(passwords)).size).toBe(natsAccounts.length);
  for (const user of natsAccounts) {
    const name = `webkiln-${user === natsAdministrator ? 'backup' : user}`;
    const { NATS_URL } = keys(secrets[name] ?? '');
    expect([name, NATS_URL]).toEqual([name, url.replace('://', `://${user}:${passwords[natsPasswordVariable(user)]}@`)]);
  }
});

test('a NATS elsewhere is reached by its one URL, unless --nats-users is given', async () => {
  const secrets = await create(...external);
  expect(secrets['webkiln-nats']).toBeUndefined();
  for (const name of ['identity', 'backup']) expect(keys(secrets[`webkiln-${name}`] ?? '').NATS_URL).toBe(external[1]);
});

test('backups have the URLs of the stores and no key of a process', async () => {
  expect(Object.keys(keys((await create())['webkiln-backup'] ?? ''))).toEqual(['MONGODB_URL', 'NATS_URL']);
});

test('each run has keys of its own', async () => {
  const [first, second] = [await create(), await create()];
  for (const key of ['KEY_PEPPER', 'AUTH_SECRET']) {
    expect(keys(first['webkiln-identity'] ?? '')[key]).not.toBe(keys(second['webkiln-identity'] ?? '')[key]);
  }
});

const replicaSet = 'mongodb://ada:secret@a.example:27017,b.example:27017/?replicaSet=rs0&tls=true';

test('a MongoDB elsewhere is reached by its one URL, unless --mongodb-users is given; it may have several hosts', async () => {
  const one = await create('--mongodb-url', replicaSet);
  expect(one['webkiln-mongodb']).toBeUndefined();
  for (const name of ['sites', 'backup', 'restore']) expect(keys(one[`webkiln-${name}`] ?? '').MONGODB_URL).toBe(replicaSet);
  const own = await create('--mongodb-url', replicaSet, '--mongodb-users', '--mongodb-prefix', 'shop');
  const { MONGODB_PASSWORD_CLIENTS_PLANS } = keys(own['webkiln-mongodb'] ?? '');
  expect(keys(own['webkiln-clients-plans'] ?? '').MONGODB_URL).toBe(
    `mongodb://shop_clients_plans:${MONGODB_PASSWORD_CLIENTS_PLANS}@a.example:27017,b.example:27017/?replicaSet=rs0&tls=true&authSource=admin`,
  );
  expect(JSON.stringify(own)).not.toContain('ada:secret');
});

test('the small Redis has a password, which the gateway alone has too', async () => {
  const secrets = await create();
  const [, password] = /requirepass (\w+)/.exec(secrets['webkiln-redis'] ?? '') ?? [];
  expect(keys(secrets['webkiln-gateway'] ?? '').REDIS_URL).toBe(`redis://:${password}@redis:6379`);
  const having = Object.entries(secrets).filter(([, text]) => text.includes(password ?? ''));
  expect(having.map(([name]) => name).toSorted()).toEqual(['webkiln-gateway', 'webkiln-redis']);
});

test('a URL of another kind and a name that is no namespace are refused', async () => {
  expect(await webkiln(['secrets', 'create', '--namespace', 'kiln', '--nats-url', 'http://nats'], {})).toMatchObject({ code: 2 });
  expect(await webkiln(['secrets', 'create', '--namespace', 'Kiln Studio'], {})).toMatchObject({ code: 2, out: '' });
});

test('mongodb initiate leaves a server alone that is a replica set already', async () => {
  const { host, password, searchParams } = new URL(process.env.MONGODB_URL ?? '');
  const set = searchParams.get('replicaSet') ?? '';
  const MONGODB_KEY = decodeURIComponent(password);
  const { code, out } = await webkiln(['mongodb', 'initiate', '--at', host, '--replica-set', set], { MONGODB_KEY });
  expect({ code, out }).toEqual({ code: 0, out: `${host} is the primary of the replica set ${set}.` });
});

test('secrets fingerprints writes fingerprints that tell no secret, by which a backup knows what is in use', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-fingerprints-'));
  const file = path.join(folder, 'secrets.json');
  const env = { KEY_PEPPER: 'first:pepper-one,second:pepper-two', WEBHOOK_SECRET_KEYS: 'a:sealing-key' };
  expect(await webkiln(['secrets', 'fingerprints', '--to', file], env)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toMatch(/pepper-|sealing-/);
  const known = knownFingerprints({ SECRET_FINGERPRINTS_FILE: file });
  expect(known).toEqual(fingerprintsOf(env));
  expect(() => assertSecretsKnown(known, { SECRET_FINGERPRINTS_FILE: file })).not.toThrow();
  const other = fingerprintsOf({ KEY_PEPPER: 'another' });
  expect(() => assertSecretsKnown(other, { SECRET_FINGERPRINTS_FILE: file })).toThrow('KEY_PEPPER is not the one of the backup');
  rmSync(folder, { recursive: true });
});

describe('secrets files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'webkiln-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const files = async () => {
    expect((await webkiln(['secrets', 'files', '--in', folder], {})).code).toBe(0);
    return Object.fromEntries([...Object.keys(processes), 'operator'].map((name) => [name, parseEnv(read(`${name}/env`))]));
  };

  test('writes for each process, and for operators, what it needs and no secret of another, readable by its owner alone', async () => {
    const { mcp, gateway, identity, operator } = await files();
    expect(Object.keys(mcp ?? {}).toSorted()).toEqual(['PRINCIPAL_SIGNING_KEY', 'PRINCIPAL_TRUSTED_KEYS']);
    expect(gateway).toMatchObject({ REDIS_URL: 'redis://redis:6379', NATS_URL: 'nats://nats:4222' });
    expect(gateway).not.toHaveProperty('KEY_PEPPER');
    expect(identity).toHaveProperty('KEY_PEPPER');
    expect(Object.keys(operator ?? {}).toSorted()).toEqual(['MONGODB_URL', 'NATS_URL', 'OPERATOR_SIGNING_KEY']);
    expect(JSON.parse(read('operator/fingerprints.json'))).toHaveLength(5);
    for (const file of ['identity/env', 'platform/secrets.json']) expect(statSync(path.join(folder, file)).mode & 0o077).toBe(0);
  });

  test('keeps what is there, and makes what a new release adds', async () => {
    const first = await files();
    expect(await files()).toEqual(first);
    const { PREVIEW_SECRET, ...kept } = JSON.parse(read('platform/secrets.json'));
    const { mcp, ...signing_keys } = kept.signing_keys;
    writeFileSync(path.join(folder, 'platform/secrets.json'), JSON.stringify({ ...kept, signing_keys }));
    const next = await files();
    expect(next.identity?.KEY_PEPPER).toBe(first.identity?.KEY_PEPPER);
    expect(next.mcp?.PRINCIPAL_SIGNING_KEY).not.toBe(mcp);
    expect(next['projects-templates']?.PREVIEW_SECRET).not.toBe(PREVIEW_SECRET);
  });
});
