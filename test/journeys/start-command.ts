import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Demo } from '@webkiln/infra';
import { eventually } from '../harness/agency.ts';

const script = path.resolve(import.meta.dirname, '../../scripts/start.ts');

const upWithinMs = 300_000;

interface Run {
  readonly origin: string;
  readonly services: Readonly<Record<string, { readonly pid: number; readonly port: number }>>;
}

/** What `npm start` runs, in a data folder of its own. */
export class Start {
  readonly dataFolder = realpathSync(mkdtempSync(path.join(tmpdir(), 'webkiln-start-')));
  #child: ChildProcess | undefined;
  #said = '';

  /** Begins a start; the one before must have ended, unless that is the test. */
  async begin(env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const { MONGODB_URL: _mongodb, NATS_URL: _nats, REDIS_URL: _redis, ...surroundings } = process.env;
    const child = spawn(process.execPath, [script], {
      env: { ...surroundings, DATA_DIR: this.dataFolder, PORT: String(await freePort()), CHROMIUM_PATH: '', ...env },
    });
    this.#said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (this.#said += text));
    this.#child = child;
    return child;
  }

  /** Resolves when people are told that they can begin. */
  async up(): Promise<{ run: Run; demo: Demo }> {
    await eventually(() => {
      if (!this.#said.includes('First request')) throw new Error(`not up yet: ${this.#said}`);
    }, upWithinMs);
    return { run: this.run(), demo: this.read('demo.json') };
  }

  get said(): string {
    return this.#said;
  }

  run(): Run {
    return this.read('run.json');
  }

  has(name: string): boolean {
    return existsSync(path.join(this.dataFolder, name));
  }

  read<T>(name: string): T {
    return JSON.parse(readFileSync(path.join(this.dataFolder, name), 'utf8'));
  }

  /** Sends a signal to the platform and resolves with how it ended. */
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

/** A port that the kernel gives to no outgoing connection before who asked takes it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const server = createServer().listen(port);
    const isFree = await once(server, 'listening').then(Boolean, () => false);
    server.close();
    if (isFree) return port;
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
