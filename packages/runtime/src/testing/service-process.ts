import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A service in a child process. */
export interface ServiceProcess {
  readonly pid: number;
  /** Its ports by name, `internal` among them. */
  readonly ports: Readonly<Record<string, number>>;
  /** Its output, including its log. */
  readonly log: readonly string[];
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Runs a service's main.ts with only these settings, and waits until it is ready. */
export async function startProcess(main: string, env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
  const child = fork(main, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, GRPC_PORT: '0', ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log: string[] = [];
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  const ports = await new Promise<Record<string, number>>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { ports: Record<string, number> }).ports));
    child.once('exit', () => reject(new Error(`${main} did not start:\n${log.join('')}`)));
  });
  return { pid: child.pid ?? 0, ports, log, kill: async () => void (await ended(child, 'SIGKILL')), stop: () => ended(child, 'SIGTERM') };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code as number | null;
}
