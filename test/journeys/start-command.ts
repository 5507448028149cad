import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Demo } from '@webkiln/dev-platform';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { eventually } from '../harness/agency.ts';

const script = path.resolve(import.meta.dirname, '../../scripts/start.ts');

const readyTimeoutMs = 300_000;

export interface Run {
  readonly origin: string;
  readonly services: Readonly<Record<string, { readonly pid: number; readonly port: number }>>;
}

/** Runs `npm start` in a temporary data folder. */
export class StartCommand {
  readonly dataFolder = realpathSync(mkdtempSync(path.join(tmpdir(), 'webkiln-start-')));
  #child: ChildProcess | undefined;
  #output = '';

  /** Starts the process. End the previous one first, unless the test is about two. */
  async begin(env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const { MONGODB_URL: _mongodb, NATS_URL: _nats, REDIS_URL: _redis, ...environment } = process.env;
    const child = spawn(process.execPath, [script], {
      env: { ...environment, DATA_DIR: this.dataFolder, PORT: String(await freePort()), CHROMIUM_PATH: '', ...env },
    });
    this.#output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (this.#output += text));
    this.#child = child;
    return child;
  }

  /** Resolves when the output shows the first request to try. */
  async waitUntilReady(): Promise<{ run: Run; demo: Demo }> {
    await eventually(() => {
      if (!this.#output.includes('First request')) throw new Error(`not ready yet: ${this.#output}`);
    }, readyTimeoutMs);
    return { run: this.run(), demo: this.read('demo.json') };
  }

  get output(): string {
    return this.#output;
  }

  run(): Run {
    return this.read('run.json');
  }

  hasFile(name: string): boolean {
    return existsSync(path.join(this.dataFolder, name));
  }

  read<T>(name: string): T {
    return JSON.parse(readFileSync(path.join(this.dataFolder, name), 'utf8'));
  }

  /** Sends a signal; resolves with the exit code and the signal that ended the process. */
  async end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null }> {
    const exit = once(this.#child as ChildProcess, 'exit');
    this.#child?.kill(signal);
    const [code, by] = await exit;
    return { code, signal: by };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.end('SIGTERM');
    rmSync(this.dataFolder, { recursive: true });
  }
}

/** True if a process with this id exists. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
