import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU seconds used by processes (user and system, with threads and reaped children), from Linux' /proc. */
export const cpuSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / ticksPerSecond;
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kb) / 1024);
}
