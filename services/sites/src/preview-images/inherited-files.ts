import type { StdioOptions } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC of Linux, in the octal flags of /proc/PID/fdinfo. */
const closedOnExec = 0o2000000n;

/**
 * The `stdio` of a child that has these streams and no other open file. Node keeps from a child what Node opened
 * itself, not what was passed to this process: such descriptors are replaced by `nothing`, a descriptor of /dev/null.
 */
export function onlyThese(streams: readonly ('ignore' | 'pipe')[], nothing: number): StdioOptions {
  const passedOn = descriptors().filter((fd) => fd >= streams.length && fd !== nothing && isPassedOn(fd));
  const length = Math.max(streams.length, ...passedOn.map((fd) => fd + 1));
  return Array.from({ length }, (_, fd) => streams[fd] ?? (passedOn.includes(fd) ? nothing : 'ignore'));
}

function descriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return []; // not Linux, where nothing but development runs
  }
}

function isPassedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    return (BigInt(`0o${flags}`) & closedOnExec) === 0n;
  } catch {
    return false; // closed meanwhile
  }
}
