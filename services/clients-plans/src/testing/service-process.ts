import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export interface ServiceProcess {
  readonly pid: number;
  /** Where it answers gRPC. */
  readonly address: string;
  /** What it logged, JSON lines. */
  readonly log: readonly string[];
  /** SIGKILL: it gets to do nothing more. */
  kill(): Promise<void>;
  /** SIGTERM: its exit code. */
  stop(): Promise<number | null>;
}

/** Runs a service's main.ts as a process of its own, and waits until it says that it is ready. */
export async function startProcess(service: 'identity' | 'clients-plans', env: Record<string, string>): Promise<ServiceProcess> {
  const main = path.resolve(__dirname, '../../../', service, 'src/main.ts');
  const child = fork(main, {
    env: { PATH: process.env.PATH, GRPC_PORT: '0', ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log: string[] = [];
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  const { grpc } = await ready(child, service, log);
  return {
    pid: child.pid ?? 0,
    address: `127.0.0.1:${grpc}`,
    log,
    kill: async () => void (await ended(child, 'SIGKILL')),
    stop: () => ended(child, 'SIGTERM'),
  };
}

function ready(child: ChildProcess, service: string, log: string[]): Promise<{ grpc: number }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { ports: { grpc: number } }).ports));
    child.once('exit', () => reject(new Error(`${service} did not start:\n${log.join('')}`)));
  });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code as number | null;
}
