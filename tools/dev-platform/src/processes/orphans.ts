import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../download/run-command.ts';

const timeoutMs = 10_000;
const pollMs = 50;

/**
 * Ends the processes that a killed run left behind. Of `pids` it ends only those that run in a folder below
 * `dataFolder`, because the system reuses process ids. Returns the ids of the ended ones.
 */
export async function killOrphans(pids: readonly number[], dataFolder: string): Promise<number[]> {
  const ours = await Promise.all(pids.map(async (pid) => ((await runsInFolder(pid, dataFolder)) ? [pid] : [])));
  await Promise.all(ours.flat().map((pid) => end(pid, dataFolder)));
  return ours.flat();
}

/** True if the process is alive and its working folder is `folder` or below. */
export async function runsInFolder(pid: number, folder: string): Promise<boolean> {
  const relative = path.relative(folder, (await workingFolder(pid)) ?? '/');
  return relative !== '..' && !relative.startsWith(`..${path.sep}`);
}

async function workingFolder(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') return await readlink(`/proc/${pid}/cwd`);
    const [, folder] = /^n(.*)$/m.exec(await runCommand('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'])) ?? [];
    return folder;
  } catch {
    return undefined;
  }
}

async function end(pid: number, dataFolder: string): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  send(pid, 'SIGTERM');
  while (await runsInFolder(pid, dataFolder)) {
    if (performance.now() > deadline) send(pid, 'SIGKILL');
    await delay(pollMs);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
