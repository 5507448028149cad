import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cores } from '../cores.ts';
import { cpuSeconds } from '../cpu.ts';
import { publishBacklog } from './backlog.ts';
import { forgetTally, tallyReaches } from './tally.ts';

const run = promisify(execFile);

/** What one dispatcher did in a round. */
export interface Dispatched {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

export interface Surroundings {
  readonly receiver: string;
  readonly natsUrl: string;
  readonly mongoUrl: string;
  /** Each has a webhook for client.updated at the receiver. */
  readonly organizations: readonly string[];
  /** The webhooks service. */
  readonly pid: number;
}

/** Ours: events are put on the stream while it is stopped, for it to find them as fast as it can take them; returns where they begin, too. */
export async function ours(
  { receiver, natsUrl, organizations, pid }: Surroundings,
  count: number,
): Promise<Dispatched & { first: number }> {
  await forgetTally(receiver);
  process.kill(pid, 'SIGSTOP');
  const first = await publishBacklog(natsUrl, count, organizations).finally(() => process.kill(pid, 'SIGCONT'));
  const before = cpuSeconds([pid]);
  const { seconds } = await tallyReaches(receiver, count);
  return { perSecond: count / seconds, cpuMicros: ((cpuSeconds([pid]) - before) * 1e6) / count, first };
}

/** By hand, over the same events. */
export const byHand = ({ receiver, natsUrl, mongoUrl }: Surroundings, count: number, first: number): Promise<Dispatched> =>
  peer('dispatcher.ts', {
    RECEIVER: receiver,
    NATS_URL: natsUrl,
    MONGODB_URL: mongoUrl,
    COUNT: `${count}`,
    FIRST: `${first}`,
    NAME: `by-hand-${first}`,
  });

/** Requests alone. */
export const bareLoop = ({ receiver }: Surroundings, seconds: number): Promise<Dispatched> =>
  peer('bare-loop.ts', { RECEIVER: receiver, SECONDS: `${seconds}` });

async function peer(script: string, settings: Readonly<Record<string, string>>): Promise<Dispatched> {
  const program = path.join(import.meta.dirname, 'peers', script);
  const env = { ...process.env, NODE_ENV: 'production', ...settings };
  const { stdout } = await run('taskset', ['-c', cores.front, process.execPath, program], { env });
  const { deliveries, seconds, cpuMicros } = JSON.parse(stdout);
  return { perSecond: deliveries / seconds, cpuMicros: cpuMicros / deliveries };
}
