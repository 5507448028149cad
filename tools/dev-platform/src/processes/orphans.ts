import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../obtain/run-command.ts';

const patienceMs = 10_000;
const pollMs = 50;

/**
 * Ends what a killed run left behind: of `pids` those that run in a folder below `dataFolder`, and no other, for a process id is
 * soon given to somebody else. Returns the ones it ended.
 */
export async function endLeftovers(pids: readonly number[], dataFolder: string): Promise<number[]> {
  const ours = await Promise.all(pids.map(async (pid) => ((await worksIn(pid, dataFolder)) ? [pid] : [])));
  await Promise.all(ours.flat().map((pid) => end(pid, dataFolder)));
  return ours.flat();
}

/** Whether a process is alive and its working folder is `folder` or below. */
export async function worksIn(pid: number, folder: string): Promise<boolean> {
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
  const deadline = performance.now() + patienceMs;
  send(pid, 'SIGTERM');
  while (await worksIn(pid, dataFolder)) {
    if (performance.now() > deadline) send(pid, 'SIGKILL');
    await delay(pollMs);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended by itself meanwhile
  }
}
