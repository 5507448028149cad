import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { HealthyWebhooks } from './healthy-webhooks.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';

const perSecond = 20;
const warmUpMs = 5000;
const mostTimesSlower = 2;
const givenUpWithinMs = 60_000;

interface Counts {
  readonly rounds: number;
  /** How long events come in each half of a round. */
  readonly msEach: number;
}

/** How long events take to ten healthy webhooks, by turns alone and beside one that never answers: at p99 at most twice as long. */
export async function keepPace(platform: TestPlatform, { rounds, msEach }: Counts): Promise<Outcome> {
  const findings = new Findings();
  await using webhooks = await HealthyWebhooks.beside(platform.facts);
  await setHanging(webhooks, false);
  await p99MsOf(webhooks, warmUpMs);
  const halves: { alone: number; beside: number; ratio: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await p99MsOf(webhooks, msEach);
    await setHanging(webhooks, true);
    const beside = await p99MsOf(webhooks, msEach);
    findings.check(webhooks.hanging.heard.size > 0, 'the webhook that hangs was sent nothing');
    await setHanging(webhooks, false);
    halves.push({ alone, beside, ratio: beside / alone });
  }
  const median = (of: 'alone' | 'beside' | 'ratio') =>
    halves.map((half) => half[of]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
  const ratio = median('ratio');
  findings.check(ratio <= mostTimesSlower, `p99 is ${ratio.toFixed(2)} times as long beside a webhook that hangs`);
  for (const { wrong } of webhooks.subscribers) for (const what of wrong) findings.check(false, what);
  const figure = `p99 from request to arrival ${median('beside').toFixed(0)} ms beside one that hangs, ${median('alone').toFixed(0)} ms without; ${ratio.toFixed(2)} times (medians of ${rounds} rounds)`;
  return { seed: chooseSeed(), tries: webhooks.clients.length * webhooks.subscribers.length, figure, failures: findings.failures };
}

/** Creates clients at a steady pace, each with the moment of its request as its name; resolves when all events have arrived. */
async function p99MsOf(webhooks: HealthyWebhooks, forMs: number): Promise<number> {
  const since = performance.now();
  const sent: Promise<void>[] = [];
  const timer = setInterval(() => sent.push(webhooks.createClient(String(performance.now()))), 1000 / perSecond);
  await pause(forMs);
  clearInterval(timer);
  await Promise.all(sent);
  await webhooks.arrived();
  const heard = webhooks.subscribers.flatMap((subscriber) => [...subscriber.heard.values()]).filter(({ firstAt }) => firstAt > since);
  const tookMs = heard.map(({ event, firstAt }) => firstAt - Number('client' in event.data ? event.data.client.name : Number.NaN));
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
}

/** Off is off when no request to it is open any more. */
async function setHanging({ owner, hanging, holding }: HealthyWebhooks, is_active: boolean): Promise<void> {
  (await owner.api.patch(`/webhooks/${hanging.webhookId}`, { is_active })).expect(200);
  if (is_active) return;
  await eventually(() => {
    if (holding.held.size > 0) throw new Error(`${holding.held.size} requests to the webhook that hangs were not given up`);
  }, givenUpWithinMs);
}
