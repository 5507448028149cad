import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lockDataFolder } from './lock-data-folder.ts';
import { RunFile } from './run-file.ts';

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
