import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Exit, Launched, Running } from './launched.ts';

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Also tells whose process it is: see leftovers.ts. */
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

const setpriv = '/usr/bin/setpriv';

/**
 * Starts a server that knows nothing of us: it writes to the file descriptor `output`, which it takes over, and is sent SIGTERM by the kernel when we die
 * (Linux). Its own session keeps the terminal's Ctrl-C from it, so that we decide the order in which things stop.
 */
export function launchServer({ program, args, cwd, env = process.env }: Command, output: number): Running {
  const [command, rest] = existsSync(setpriv) ? [setpriv, ['--pdeathsig', 'TERM', '--', program, ...args]] : [program, args];
  const child = spawn(command, rest, { cwd, env, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  return { pid: child.pid, exit: exitOf(child), signal: (signal) => child.kill(signal) };
}

/** Starts a process of ours: it says over IPC when it serves, ends when that channel does, and hands each line it writes to `onLine`. */
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
  child.on('error', () => child.pid === undefined && resolve({ code: 127, signal: null })); // not found, as shells say it
  child.on('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
