import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cores } from '../cores.ts';
import { cpuSeconds } from '../cpu.ts';
import { publishBacklog } from './backlog.ts';
import { resetTally, waitForTally } from './tally.ts';

const run = promisify(execFile);

/** The result of one dispatcher in one round. */
export interface DispatchResult {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

export interface Environment {
  readonly receiver: string;
  readonly natsUrl: string;
  readonly mongoUrl: string;
  /** Ids. Each organization has a webhook for client.updated at the receiver. */
  readonly organizations: readonly string[];
  /** Process id of the webhooks service. */
  readonly pid: number;
}

/**
 * Measures our dispatcher: publishes a backlog while it is stopped, then lets it run. `first` is the backlog's first
 * stream sequence.
 */
export async function ours(
  { receiver, natsUrl, organizations, pid }: Environment,
  count: number,
): Promise<DispatchResult & { first: number }> {
  await resetTally(receiver);
  process.kill(pid, 'SIGSTOP');
  const first = await publishBacklog(natsUrl, count, organizations).finally(() => process.kill(pid, 'SIGCONT'));
  const before = cpuSeconds([pid]);
  const { seconds } = await waitForTally(receiver, count);
  return { perSecond: count / seconds, cpuMicros: ((cpuSeconds([pid]) - before) * 1e6) / count, first };
}

/** Measures the hand-written dispatcher over the same events. */
export const byHand = ({ receiver, natsUrl, mongoUrl }: Environment, count: number, first: number): Promise<DispatchResult> =>
  peer('dispatcher.ts', {
    RECEIVER: receiver,
    NATS_URL: natsUrl,
    MONGODB_URL: mongoUrl,
    COUNT: `${count}`,
    FIRST: `${first}`,
    NAME: `by-hand-${first}`,
  });

/** Measures bare requests. */
export const bareLoop = ({ receiver }: Environment, seconds: number): Promise<DispatchResult> =>
  peer('bare-loop.ts', { RECEIVER: receiver, SECONDS: `${seconds}` });

async function peer(script: string, settings: Readonly<Record<string, string>>): Promise<DispatchResult> {
  const program = path.join(import.meta.dirname, 'peers', script);
  const env = { ...process.env, NODE_ENV: 'production', ...settings };
  const { stdout } = await run('taskset', ['-c', cores.front, process.execPath, program], { env });
  const { deliveries, seconds, cpuMicros } = JSON.parse(stdout);
  return { perSecond: deliveries / seconds, cpuMicros: cpuMicros / deliveries };
}
