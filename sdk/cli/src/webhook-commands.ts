import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Delivery, type Page, signWebhook, type Webhook, type WebhookEventType, type Webkiln, WebkilnError } from '@webkiln/sdk';
import type { Command } from 'commander';
import { interruption } from './interruption.ts';
import { print, printLine } from './output.ts';
import { webkilnOf } from './settings.ts';

/** Half of what a key may ask in a minute is left for other programs. */
const pollMs = 2_000;
const answerTimeoutMs = 15_000;
const retryMs = 1_000;
/** Nothing is ever sent there: the webhook is paused, and its events are read. */
const address = () => `https://listen.webkiln.invalid/${encodeURIComponent(hostname())}/${process.pid}`;
const allEvents = 'client.created,client.updated,project.created,project.published,form.submitted';

export function addWebhookCommands(program: Command): void {
  program
    .command('listen')
    .description('forward events to a program on your own machine as they happen, signed like webhooks, until Ctrl-C')
    .requiredOption('--forward <address>', 'where to, as http://localhost:3000/hook')
    .option('--events <list>', 'which, with commas between; payment.received is for keys of owners and admins', allEvents)
    .addHelpText('after', '\nExample:\n  webkiln listen --forward http://localhost:3000/hook --events form.submitted')
    .action(listen);
  program
    .command('trigger')
    .description('send a sample event to a webhook at once, marked "test": true')
    .argument('<event>', 'such as client.created')
    .requiredOption('--webhook <id>', 'the webhook, from "webkiln webhooks"')
    .addHelpText('after', '\nExample:\n  webkiln trigger form.submitted --webhook $ID')
    .action(trigger);
  program
    .command('webhooks')
    .description('list the webhooks of the organization')
    .action(async (_options: object, command: Command) => {
      const webkiln = await webkilnOf(command);
      const webhooks: Webhook[] = [];
      for await (const webhook of webkiln.webhooks.list({}, { signal: interruption })) webhooks.push(webhook);
      const lines = webhooks.map(
        ({ id, url, is_active, events }) => `${id}  ${is_active ? 'active' : 'paused'}  ${url}  ${events.join(', ')}`,
      );
      print(command, webhooks, lines.join('\n') || 'There are none.');
    });
}

async function listen({ forward, events }: { forward: string; events: string }, command: Command) {
  const webkiln = await webkilnOf(command);
  const signal = interruption;
  const chosen = events.split(',').map((name) => name.trim()) as WebhookEventType[];
  const { id, secret } = await webkiln.webhooks.create({ url: address(), events: chosen }, { signal });
  try {
    await webkiln.webhooks.update(id, { is_active: false }, { signal });
    console.error(`Forwarding ${chosen.join(', ')} to ${forward} until Ctrl-C. They are signed with\n${secret}`);
    const forwarded = new Set<string>();
    while (!signal.aborted) {
      for (const delivery of await newDeliveries(webkiln, id, forwarded)) {
        await pass(webkiln, delivery, { forward, secret }, command);
        forwarded.add(delivery.id);
      }
      await pause(pollMs, undefined, { signal });
    }
  } catch (error) {
    // Ctrl-C is how it ends.
    if (!signal.aborted) throw error;
  } finally {
    await webkiln.webhooks.delete(id);
  }
}

/** What came since, oldest first. One that was late may be among those which are known: a page is read whole. */
async function newDeliveries(webkiln: Webkiln, id: string, forwarded: ReadonlySet<string>): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let page: Page<Delivery> | undefined = await webkiln.webhooks.listDeliveries(id, { status: 'skipped' }, { signal: interruption });
  while (page !== undefined) {
    const fresh: Delivery[] = page.items.filter((delivery) => !forwarded.has(delivery.id));
    found.unshift(...fresh.toReversed());
    page = fresh.length > 0 ? await page.next() : undefined;
  }
  return found;
}

interface Receiver {
  readonly forward: string;
  readonly secret: string;
}

/** Any answer counts; a program that is not there is waited for. */
async function pass(webkiln: Webkiln, { id, webhook_id, event, event_id }: Delivery, { forward, secret }: Receiver, command: Command) {
  const { body } = (await webkiln.webhooks.getDelivery(webhook_id, id, { signal: interruption })).request;
  if (body === null) return;
  for (let isFirst = true; ; isFirst = false) {
    const begin = performance.now();
    try {
      const headers = { 'content-type': 'application/json', ...(await signWebhook(body, secret, event_id)) };
      const signal = AbortSignal.any([interruption, AbortSignal.timeout(answerTimeoutMs)]);
      const response = await fetch(forward, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.body?.cancel();
      const entry = {
        time: new Date().toISOString(),
        event,
        id: event_id,
        status: response.status,
        ms: Math.round(performance.now() - begin),
      };
      return printLine(command, entry, `${entry.time}  ${event.padEnd(17)}  ${event_id}  ${entry.status}  ${entry.ms} ms`);
    } catch (error) {
      interruption.throwIfAborted();
      if (isFirst) console.error(`${forward} does not take the event (${reasonOf(error)}). Retrying every second…`);
      await pause(retryMs, undefined, { signal: interruption });
    }
  }
}

async function trigger(event: string, { webhook }: { webhook: string }, command: Command) {
  const webkiln = await webkilnOf(command);
  const { status, attempts } = await webkiln.webhooks.test(webhook, { event: event as WebhookEventType }, { signal: interruption });
  const { status_code = null, latency_ms = 0, reason = null } = attempts[0] ?? {};
  if (status !== 'delivered') throw new WebkilnError(`The receiver did not take it: ${reason ?? `it answered ${status_code}`}.`);
  print(command, { event, status_code, latency_ms }, `${event}  ${status_code}  ${latency_ms} ms`);
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? (error as Error).message;
}
