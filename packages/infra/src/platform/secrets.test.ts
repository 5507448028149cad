import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretsOf } from './secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('secrets are made once, differ from folder to folder, and only their owner may read them', () => {
  const secrets = secretsOf(folder);
  expect(secretsOf(folder)).toEqual(secrets);
  expect(statSync(path.join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  rmSync(path.join(folder, 'secrets.json'));
  expect(secretsOf(folder).KEY_PEPPER).not.toBe(secrets.KEY_PEPPER);
});
