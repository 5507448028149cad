import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

export interface Running {
  readonly pid: number;
  stop(): void;
}

const startTimeoutMs = 30_000;

/** Runs a script with this Node on one core. Resolves when `url` answers. */
export async function spawnServer(
  args: readonly string[],
  {
    core,
    url,
    cwd,
    env = {},
    headers = {},
  }: { core: string; url: string; cwd?: string; env?: NodeJS.ProcessEnv; headers?: Readonly<Record<string, string>> },
): Promise<Running> {
  const child = spawn('taskset', ['-c', core, process.execPath, ...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${args[0]}`);
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const answers = await fetch(url, { headers }).then(
      (response) => response.ok,
      () => false,
    );
    if (answers) return { pid, stop: () => void child.kill() };
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${args[0]} does not answer at ${url}`);
    await pause(100);
  }
}
