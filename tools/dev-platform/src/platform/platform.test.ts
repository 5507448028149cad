import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DiskSpace } from './disk-space.ts';
import { lockDataFolder } from './lock-data-folder.ts';
import { RunFile } from './run-file.ts';
import { secretsOf } from './secrets.ts';
import { readSettings } from './settings.ts';

describe('disk space', () => {
  test('a write without room stops nothing: it is said once what is full and what it needs, and made up for once there is room', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'disk-'));
    const said: string[] = [];
    const room = Promise.withResolvers<void>();
    const disk = new DiskSpace(folder, (name, text, level) => said.push(`${level ?? 'info'} ${name} ${text}`), room.resolve);
    // Every write to this device fails with ENOSPC.
    let log = openSync('/dev/full', 'a');
    try {
      disk.start();
      for (const line of ['one\n', 'two\n', 'three\n']) disk.spare(() => writeSync(log, line));
      expect(said).toEqual([
        `error disk is full at ${folder}: new data is refused and logs are not written until it has room again. What was acknowledged is kept. Free at least 500 MB there`,
      ]);
      closeSync(log);
      log = openSync(path.join(folder, 'a.log'), 'a');
      await room.promise;
      expect(said.slice(1)).toEqual([`info disk has room again at ${folder}: everything goes on`]);
      expect(readFileSync(path.join(folder, 'a.log'), 'utf8')).toBe('three\n');
      expect(() => disk.spare(() => writeSync(-1, 'x'))).toThrow();
    } finally {
      disk.stop();
      closeSync(log);
      rmSync(folder, { recursive: true });
    }
  });
});

describe('lock data folder', () => {
  const before = process.cwd();
  let folder: string;
  let other: ChildProcess;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'single-run-')));
    other = spawn('sleep', ['60'], { cwd: folder });
    await once(other, 'spawn');
    writeFileSync(path.join(folder, 'supervisor.pid'), String(other.pid));
  });
  afterEach(() => {
    process.chdir(before);
    other.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  test('a second start in a data folder is refused, and the error has the address of the first', async () => {
    new RunFile(folder, 'http://localhost:8123').set('gateway', { pid: other.pid, port: 8123 });
    await expect(lockDataFolder(folder)).rejects.toThrow(
      `Webkiln runs already in ${folder} at http://localhost:8123 (process ${other.pid}).`,
    );
  });

  test('the data folder of a process that was killed is taken over', async () => {
    other.kill('SIGKILL');
    await once(other, 'exit');
    await lockDataFolder(folder);
    expect(readFileSync(path.join(folder, 'supervisor.pid'), 'utf8')).toBe(String(process.pid));
  });

  test('an unlocked data folder is empty and can be locked again', async () => {
    other.kill('SIGKILL');
    await once(other, 'exit');
    const release = await lockDataFolder(folder);
    release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('secrets', () => {
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
});

describe('settings', () => {
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
});
