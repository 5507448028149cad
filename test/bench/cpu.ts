import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU seconds used by processes (user and system, with threads and reaped children), from Linux' /proc. */
export const cpuSeconds = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / ticksPerSecond;
}

/** Resident memory of a process in MB. What it has in common with others, such as the program Node, counts whole. */
export const residentMb = (pid: number): number => mbIn(`/proc/${pid}/status`, /^VmRSS:\s+(\d+)/m);

/** The same, with an equal share of pages that processes have in common (Linux' Pss): their sum is what all need. */
export const proportionalMb = (pid: number): number => mbIn(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m);

const mbIn = (file: string, kb: RegExp) => Math.round(Number(kb.exec(readFileSync(file, 'utf8'))?.[1]) / 1024);
