import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { keyFileUrl } from '@webkiln/store/users';

interface Process {
  readonly pid: number;
  readonly port: number;
  readonly http_port?: number;
}

/** A platform as `npm start` runs it, in its own data folder. */
export interface BenchPlatform {
  readonly baseUrl: string;
  readonly processes: Readonly<Record<string, Process>>;
  readonly secrets: {
    readonly OPERATOR_SIGNING_KEY: string;
    readonly mongodb_key: string;
    readonly signing_keys: Readonly<Record<string, string>>;
  };
  readonly mongoUrl: string;
  stop(): Promise<void>;
}

const root = path.resolve(import.meta.dirname, '../..');
const startTimeoutMs = 240_000;
/** One organization of a bench stands for many. */
export const ampleQuotas = {
  QUOTA_EVENTS: '10000000',
  QUOTA_KEYS: '100000',
  QUOTA_WEBHOOKS: '10000',
  QUOTA_REQUESTS: '100000000',
  QUOTA_CLIENTS: '10000000',
  QUOTA_PROJECTS: '10000000',
};

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

export async function startBenchPlatform(dataDir: string, port: number, settings: NodeJS.ProcessEnv = {}): Promise<BenchPlatform> {
  const child = spawn(process.execPath, [path.join(root, 'scripts/start.ts')], {
    env: { ...process.env, NODE_ENV: 'production', DATA_DIR: dataDir, PORT: String(port), ...ampleQuotas, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const deadline = Date.now() + startTimeoutMs;
  const files = ['run.json', 'demo.json', 'secrets.json'].map((name) => path.join(dataDir, name));
  while (!files.every((file) => existsSync(file))) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('the platform did not start');
    await pause(200);
  }
  const [run, , secrets] = files.map(readJson);
  return {
    baseUrl: run.base_url,
    processes: run.services,
    secrets,
    mongoUrl: keyFileUrl(`127.0.0.1:${run.services.mongodb.port}`, secrets.mongodb_key, 'directConnection=true'),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}
