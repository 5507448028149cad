import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import mongoose from 'mongoose';

export interface Replica {
  readonly process: ChildProcess;
  readonly port: number;
}

/** Starts a process that serves /api/auth for `origin` on the test's own database, which it reaches by `mongodbUrl`. */
export async function startReplica(origin: string, mongodbUrl = process.env.MONGODB_URL): Promise<Replica> {
  const env = { PATH: process.env.PATH, MONGODB_URL: mongodbUrl, DATABASE: mongoose.connection.name, ORIGIN: origin };
  const child = fork(path.resolve(__dirname, 'sign-in-replica.ts'), { env, execArgv: [] });
  const [{ port }] = await once(child, 'message');
  return { process: child, port };
}

/** Kills the process without letting it finish running work. */
export async function killReplica({ process: child }: Replica): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
