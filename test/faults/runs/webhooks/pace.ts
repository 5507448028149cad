import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { HealthyWebhooks } from './healthy-webhooks.ts';

const perSecond = 20;
const warmUpMs = 5000;
const maxSlowdown = 2;
const abandonTimeoutMs = 60_000;

interface Counts {
  readonly rounds: number;
  /** Duration of the load in each half of a round. */
  readonly msEach: number;
}

/**
 * Measures the delivery time to ten healthy webhooks, alternately alone and beside one that never answers. Its p99 may
 * at most double.
 */
export async function keepPace(platform: TestPlatform, { rounds, msEach }: Counts): Promise<Outcome> {
  const findings = new Findings();
  await using webhooks = await HealthyWebhooks.start(platform.facts);
  await setHanging(webhooks, false);
  await p99MsOf(webhooks, warmUpMs);
  const halves: { alone: number; beside: number; ratio: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await p99MsOf(webhooks, msEach);
    await setHanging(webhooks, true);
    const beside = await p99MsOf(webhooks, msEach);
    findings.check(webhooks.hanging.received.size > 0, 'the hanging webhook was sent nothing');
    await setHanging(webhooks, false);
    halves.push({ alone, beside, ratio: beside / alone });
  }
  const median = (of: 'alone' | 'beside' | 'ratio') =>
    halves.map((half) => half[of]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const ratio = median('ratio');
  findings.check(ratio <= maxSlowdown, `p99 is ${ratio.toFixed(2)} times as long beside a hanging webhook`);
  for (const { violations } of webhooks.subscribers) for (const what of violations) findings.check(false, what);
  const figure = `p99 from request to arrival ${median('beside').toFixed(0)} ms beside a hanging webhook, ${median('alone').toFixed(0)} ms without; ${ratio.toFixed(2)} times (medians of ${rounds} rounds)`;
  return { seed: chooseSeed(), tries: webhooks.clients.length * webhooks.subscribers.length, figure, failures: findings.failures };
}

/** Creates clients at a steady pace, each named by the time of its request. Resolves when all events have arrived. */
async function p99MsOf(webhooks: HealthyWebhooks, forMs: number): Promise<number> {
  const since = performance.now();
  const sent: Promise<void>[] = [];
  const timer = setInterval(() => sent.push(webhooks.createClient(String(performance.now()))), 1000 / perSecond);
  await pause(forMs);
  clearInterval(timer);
  await Promise.all(sent);
  await webhooks.allArrived();
  const received = webhooks.subscribers.flatMap((subscriber) => [...subscriber.received.values()]).filter(({ firstAt }) => firstAt > since);
  const tookMs = received.map(({ event, firstAt }) => firstAt - Number('client' in event.data ? event.data.client.name : Number.NaN));
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}

/** Resolves, when switched off, once no request to the webhook is open. */
async function setHanging({ owner, hanging, holding }: HealthyWebhooks, is_active: boolean): Promise<void> {
  (await owner.api.patch(`/webhooks/${hanging.webhookId}`, { is_active })).expect(200);
  if (is_active) return;
  await eventually(() => {
    if (holding.held.size > 0) throw new Error(`${holding.held.size} requests to the hanging webhook are still open`);
  }, abandonTimeoutMs);
}
