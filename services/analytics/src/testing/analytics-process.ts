import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { generateSigningKey } from '@webkiln/rpc';

export interface AnalyticsProcess {
  /** Where it takes views. */
  readonly port: number;
  /** A counter, summed over what of its labels matches. */
  counted(metric: RegExp): Promise<number>;
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
  const { http, internal } = await ready(child);
  const counted = async (metric: RegExp) => {
    const lines = (await (await fetch(`http://127.0.0.1:${internal}/metrics`)).text()).split('\n');
    return lines.filter((line) => metric.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  return { port: http, counted, kill: async () => void (await ended(child, 'SIGKILL')), stop: () => ended(child, 'SIGTERM') };
}

function ready(child: ChildProcess): Promise<{ http: number; internal: number }> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve((message as { ports: { http: number; internal: number } }).ports));
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
