import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export interface ServiceProcess {
  readonly pid: number;
  /** Where it answers gRPC. */
  readonly address: string;
  /** SIGKILL: it gets to do nothing more. */
  kill(): Promise<void>;
  /** SIGTERM: its exit code. */
  stop(): Promise<number | null>;
}

/** Runs main.ts as a process of its own, and waits until it says that it is ready. */
export async function startProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const child = fork(path.resolve(__dirname, '../main.ts'), {
    env: { PATH: process.env.PATH, GRPC_PORT: '0', ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  const grpc = (message as { ports?: { grpc: number } } | null)?.ports?.grpc;
  if (grpc === undefined) throw new Error(`projects-templates did not start:\n${Buffer.concat(output)}`);
  return {
    pid: child.pid ?? 0,
    address: `127.0.0.1:${grpc}`,
    kill: async () => void (await ended(child, 'SIGKILL')),
    stop: () => ended(child, 'SIGTERM'),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code as number | null;
}
