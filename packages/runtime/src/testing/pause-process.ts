import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 5;

/** Sends SIGSTOP, and resolves when the process has stopped: it goes on until the signal arrives. SIGCONT ends it. */
export async function pauseProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  while (!isStopped(child.pid)) await pause(pollMs);
}

/** By Linux's state of each thread (proc(5)); elsewhere a signal counts as arrived. */
function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  try {
    return readdirSync(threads).every((id) => /\) T /.test(readFileSync(path.join(threads, id, 'stat'), 'utf8')));
  } catch {
    return false; // A thread ended meanwhile.
  }
}
