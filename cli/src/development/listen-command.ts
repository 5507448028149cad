import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { generateWebhookSecret, type WebhookEvent, webhookEvents } from '@webkiln/contract';
import { closeEvents, connectEvents, follow } from '@webkiln/events/listening';
import type { Command } from 'commander';
import { eventNames, type InOrganization, organizationOption, signingSecret, webAddress } from '../arguments.ts';
import { organizationId, withIdentity } from '../connection.ts';
import { OperatorError } from '../operator-error.ts';
import { printLine } from '../output.ts';
import { portOf } from './development-platform.ts';
import { type Forwarded, forward } from './forward.ts';

const answerTimeoutMs = 10_000;

interface ListenOptions extends InOrganization {
  forward: string;
  events?: readonly WebhookEvent[];
  secret?: string;
}

export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description("forward an organization's events to a local server in real time, signed like webhooks")
    .addOption(organizationOption())
    .requiredOption('--forward <url>', 'where to, as http://localhost:3000/hook', webAddress)
    .option('--events <list>', `some of ${webhookEvents.join(', ')} (default: all)`, eventNames)
    .option('--secret <secret>', 'what signs them, whsec_… (default: a new one, shown at the start)', signingSecret)
    .action(async (options: ListenOptions, command: Command) => {
      const orgId = await withIdentity(() => organizationId(options.org));
      await listen(orgId, options, command);
    });
}

/** Forwards events one at a time until Ctrl-C. */
async function listen(
  orgId: string,
  { org, forward: url, events = webhookEvents, secret = generateWebhookSecret() }: ListenOptions,
  command: Command,
) {
  const interrupted = new AbortController();
  for (const end of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) process.once(end, () => interrupted.abort());
  const { signal } = interrupted;
  const over = once(signal, 'abort');
  const onAway = (reason: string) => console.error(`${url} does not take the event (${reason}). Retrying every second…`);
  const nats = process.env.NATS_URL ?? `nats://127.0.0.1:${portOf('nats')}`;
  const { EVENTS_PREFIX = '' } = process.env;
  await connectEvents(nats, 'operator', { subjectPrefix: EVENTS_PREFIX });
  try {
    const following = follow(events, async ({ id, type, org_id }, json) => {
      if (org_id !== orgId) return;
      const forwarded = await forward({ id, json }, { url, secret }, { signal, onAway: firstOnly(onAway) });
      const { status, latencyMs: latency_ms } = forwarded;
      printLine(command, { time: new Date().toISOString(), type, id, status, latency_ms }, (line) => lineOf(line, forwarded));
    });
    const silence = pause(answerTimeoutMs, 'silence', { ref: false });
    if ((await Promise.race([following, over, silence])) === 'silence') {
      throw new OperatorError(`NATS does not answer at ${new URL(nats).host}: is it running?`);
    }
    console.error(`Forwarding events of ${org} to ${url} until Ctrl-C. They are signed with\n${secret}`);
    await over;
  } finally {
    await closeEvents();
  }
}

/** Passes on only the first call, so that each event that has to wait is reported once. */
function firstOnly(report: (reason: string) => void): (reason: string) => void {
  let isReported = false;
  return (reason) => {
    if (!isReported) report(reason);
    isReported = true;
  };
}

const lineOf = ({ time, type, id }: { time: string; type: string; id: string }, { status, latencyMs }: Forwarded): string =>
  `${time}  ${type.padEnd(17)}  ${id}  ${status ?? 'no answer'}  ${latencyMs} ms`;
