import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Exit, Launched, Running } from './launched.ts';

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** The working folder. orphans.ts recognizes our processes by it. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

const setpriv = '/usr/bin/setpriv';

/**
 * Starts a third-party server that writes to the file descriptor `output`, which is closed here. On Linux the kernel
 * sends it SIGTERM when this process dies. It has its own session, so that the terminal's Ctrl-C does not reach it and
 * the supervisor decides the stop order.
 */
export function launchServer({ program, args, cwd, env = process.env }: Command, output: number): Running {
  const [command, rest] = existsSync(setpriv) ? [setpriv, ['--pdeathsig', 'TERM', '--', program, ...args]] : [program, args];
  const child = spawn(command, rest, { cwd, env, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  return { pid: child.pid, exit: exitOf(child), signal: (signal) => child.kill(signal) };
}

/** Starts one of our processes. It reports readiness over IPC and ends with that channel; `onLine` gets its output. */
export function launchService({ program, args, cwd, env = process.env }: Command, onLine: (line: string) => void): Launched {
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', onLine);
  }
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  child.on('message', (message: { ready?: boolean }) => message.ready && resolve());
  return { pid: child.pid, ready, exit: exitOf(child), signal: (signal) => child.kill(signal) };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  child.on('error', () => child.pid === undefined && resolve({ code: 127, signal: null })); // "not found", as in shells
  child.on('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
