import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchService } from './launch-process.ts';
import { Supervised } from './supervised.ts';

let folder: string;
const reported: string[] = [];
const started: Supervised[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'supervised-'));
  reported.length = 0;
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.stop()));
  rmSync(folder, { recursive: true });
});

/** A process that runs `script` under Node. */
function supervise(script: string): Supervised {
  const command = { program: process.execPath, args: ['-e', script], cwd: folder };
  const supervised = new Supervised({
    name: 'potter',
    launch: async () => launchService(command, (line) => reported.push(line)),
    readyTimeoutMs: 120_000,
    report: (name, text) => reported.push(`${name} ${text}`),
    onLaunched: () => undefined,
  });
  started.push(supervised);
  return supervised;
}

const serving = 'process.send({ ready: true }); process.on("disconnect", () => process.exit());';

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a process that is killed is reported with its signal and started again', async () => {
  const potter = supervise(serving);
  await potter.start();
  const { pid } = potter;
  await potter.replace('SIGKILL');
  expect(reported).toEqual(['potter ready', 'potter ended unexpectedly (SIGKILL), starting it again', 'potter ready']);
  expect(potter.pid).not.toBe(pid);
  expect(isAlive(potter.pid)).toBe(true);
});

test('a process that ends by itself is reported with its exit code and started again, any number of times', async () => {
  const potter = supervise(`
    const fs = require('node:fs');
    fs.appendFileSync('starts', '.');
    const starts = fs.readFileSync('starts').length;
    if (starts === 2 || starts === 3) process.exit(starts);
    ${serving}`);
  await potter.start();
  await potter.replace('SIGTERM');
  expect(reported).toEqual([
    'potter ready',
    'potter ended unexpectedly (SIGTERM), starting it again',
    'potter ended unexpectedly (code 2), starting it again',
    'potter ended unexpectedly (code 3), starting it again',
    'potter ready',
  ]);
});

test('a process that fails at its first start is not started again', async () => {
  const potter = supervise('console.error("no clay"); process.exit(78)');
  await expect(potter.start()).rejects.toThrow('potter ended before it was ready (code 78)');
  // Its output may arrive after its exit.
  while (reported.length === 0) await pause(10);
  expect(reported).toEqual(['no clay']);
});

test('a process that is stopped stays stopped, and can be started again', async () => {
  const potter = supervise(serving);
  await potter.start();
  const { pid } = potter;
  await potter.stop();
  expect(isAlive(pid)).toBe(false);
  expect(reported).toEqual(['potter ready']); // and no unexpected end
  await potter.start();
  expect(isAlive(potter.pid)).toBe(true);
});

test('a paused process can be stopped', async () => {
  const potter = supervise(serving);
  await potter.start();
  const { pid } = potter;
  potter.signal('SIGSTOP');
  await potter.stop();
  expect(isAlive(pid)).toBe(false);
});
