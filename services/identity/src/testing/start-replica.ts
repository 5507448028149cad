import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import mongoose from 'mongoose';
import { bundledProgram } from '../../../../tools/dev-platform/src/platform/bundle.ts';

export interface Replica {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Starts a process that serves /api/auth and OAuth for `origin` on the test's own database. */
export async function startReplica(origin: string, settings: Readonly<Record<string, string>> = {}): Promise<Replica> {
  const { PATH, MONGODB_URL, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, MONGODB_URL, NODE_COMPILE_CACHE, DATABASE: mongoose.connection.name, ORIGIN: origin, ...settings };
  const program = await bundledProgram('services/identity/src/testing/sign-in-replica.ts');
  const child = fork(program, { env, execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return { process: child, port };
}

/** Kills the process without letting it finish running work. */
export async function killReplica({ process: child }: Replica): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
