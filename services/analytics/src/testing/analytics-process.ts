import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { generateSigningKey } from '@webkiln/rpc';

export interface AnalyticsProcess {
  /** Where it takes views. */
  readonly port: number;
  /** SIGKILL: it gets to do nothing more. */
  kill(): Promise<void>;
  /** SIGTERM: its exit code. */
  stop(): Promise<number | null>;
}

const { publicKey, privateKey } = generateSigningKey();
const nobody = '127.0.0.1:9';

/** Runs analytics' main.ts as a process of its own where neither MongoDB nor another service is, and waits until it says that it is ready. */
export async function startAlone(natsUrl: string): Promise<AnalyticsProcess> {
  const child = fork(path.resolve(__dirname, '../main.ts'), {
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'error',
      GRPC_PORT: '0',
      HTTP_PORT: '0',
      NATS_URL: natsUrl,
      MONGODB_URL: `mongodb://${nobody}/?replicaSet=none`,
      PROJECTS_TEMPLATES_ADDRESS: nobody,
      PRINCIPAL_TRUSTED_KEYS: `test:${publicKey}`,
      PRINCIPAL_SIGNING_KEY: privateKey,
      SITES_ORIGIN: 'https://sites.test',
      VIEWS_PER_ADDRESS: '1000000',
    },
    execArgv: [],
  });
  const { http } = await ready(child);
  return { port: http, kill: async () => void (await ended(child, 'SIGKILL')), stop: () => ended(child, 'SIGTERM') };
}

function ready(child: ChildProcess): Promise<{ http: number }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { ports: { http: number } }).ports));
    child.once('exit', (code) => reject(new Error(`analytics did not start: ${code}`)));
  });
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code as number | null;
}
