import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killOrphans } from './orphans.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'leftovers-')));
  mkdirSync(path.join(folder, 'data/nats'), { recursive: true });
  mkdirSync(path.join(folder, 'data-of-others'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function runsIn(name: string): Promise<number> {
  const child = spawn('sleep', ['60'], { cwd: path.join(folder, name) });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

test('recorded processes are ended if they run in the data folder, and no others are', async () => {
  const [ours, others, elsewhere] = [await runsIn('data/nats'), await runsIn('data-of-others'), await runsIn('.')];
  const gone = 2 ** 22 + 1; // above the largest process id
  const exit = once(children[0] as ChildProcess, 'exit');
  expect(await killOrphans([ours, others, elsewhere, process.pid, gone], path.join(folder, 'data'))).toEqual([ours]);
  await exit;
  expect(children.map(({ signalCode }) => signalCode)).toEqual(['SIGTERM', null, null]);
});
