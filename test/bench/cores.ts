import { execFileSync } from 'node:child_process';

/** The process under test has one core. Load generator, stores and all other processes share the other. */
export const cores = { front: '0', rest: '1', both: '0,1' };

/** Pins every thread of a process to these cores. */
export function pin(pid: number, core: string): void {
  execFileSync('taskset', ['-apc', core, String(pid)], { stdio: 'ignore' });
}
