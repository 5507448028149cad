import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretsOf } from './secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('secrets are created once per folder, differ between folders, and only their owner may read them', () => {
  const secrets = secretsOf(folder);
  expect(secretsOf(folder)).toEqual(secrets);
  expect(statSync(path.join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  rmSync(path.join(folder, 'secrets.json'));
  expect(secretsOf(folder).KEY_PEPPER).not.toBe(secrets.KEY_PEPPER);
});

test('a data folder of an earlier version keeps its secrets and gets the missing ones', () => {
  const secrets = secretsOf(folder);
  const file = path.join(folder, 'secrets.json');
  const { WEBHOOK_SECRET_KEYS: _added, signing_keys, ...earlier } = JSON.parse(readFileSync(file, 'utf8'));
  const { webhooks: _new, ...keys } = signing_keys;
  writeFileSync(file, JSON.stringify({ ...earlier, signing_keys: keys }));
  const completed = secretsOf(folder);
  expect(completed).toMatchObject({ ...earlier, signing_keys: keys });
  expect(completed.WEBHOOK_SECRET_KEYS).not.toBe(secrets.WEBHOOK_SECRET_KEYS);
  expect(completed.signing_keys.webhooks).toMatch(/^MC4/);
  expect(secretsOf(folder)).toEqual(completed);
});
