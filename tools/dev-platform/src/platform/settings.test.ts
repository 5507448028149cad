import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings } from './settings.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'settings-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  ['PORT', 'eighty'],
  ['ORIGIN', 'app.example.com'],
  ['MONGODB_URL', '127.0.0.1:27017'],
  ['NATS_URL', 'http://127.0.0.1:4222'],
  ['REDIS_URL', '127.0.0.1'],
  ['IDENTITY_ADDRESS', '127.0.0.1'],
  ['CLIENTS_PLANS_ADDRESS', 'http://127.0.0.1:1'],
  ['PROJECTS_TEMPLATES_ADDRESS', ':1'],
  ['WEBHOOKS_ADDRESS', 'webhooks'],
  ['SITES_ADDRESS', 'http://127.0.0.1:1'],
  ['SITES_ORIGIN', 'sites.localhost'],
])('%s=%s is rejected with the name of the variable', (variable, value) => {
  expect(() => readSettings({ DATA_DIR: folder, [variable]: value })).toThrow(new RegExp(`^  ${variable} must be`, 'm'));
});

test('the public address is localhost at PORT unless ORIGIN is set', () => {
  expect(readSettings({ DATA_DIR: folder, PORT: '8123' })).toMatchObject({ port: 8123, origin: 'http://localhost:8123' });
  expect(readSettings({ DATA_DIR: folder, ORIGIN: 'https://app.example.com/' }).origin).toBe('https://app.example.com');
});

test('the data folder is created, and returned as its real path', () => {
  expect(readSettings({ DATA_DIR: path.join(folder, 'a/../data') }).dataFolder).toBe(path.join(folder, 'data'));
});
