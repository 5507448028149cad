import { eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { compareDeliveries } from './compare-deliveries.ts';
import { HealthyWebhooks } from './healthy-webhooks.ts';
import { slotsPerProcess } from './no-retry-settings.ts';
import type { Subscriber } from './subscriber.ts';

const senders = 8;
const storeTimeoutMs = 120_000;

interface Counts {
  readonly clients: number;
  /** Number of processes of the webhooks service. */
  readonly replicas: number;
}

/**
 * Checks that a webhook that never answers delays no other: all events reach ten others before it answers its first
 * request. The platform must run with `noRetrySettings`.
 */
export async function deliverBesideHangingWebhook(platform: TestPlatform, { clients, replicas }: Counts): Promise<Outcome> {
  const findings = new Findings();
  await using webhooks = await HealthyWebhooks.start(platform.facts);
  const { holding, subscribers, hanging } = webhooks;
  let begun = 0;
  const send = async () => {
    while (begun < clients) await webhooks.createClient(`Client ${begun++}`);
  };
  await Promise.all(Array.from({ length: senders }, send));
  await webhooks.allArrived().catch((error: unknown) => findings.check(false, String(error)));
  await waitingAt(hanging, clients).catch((error: unknown) => findings.check(false, String(error)));
  const open = holding.held.size;
  findings.check(
    open > 0 && holding.abandoned === 0,
    `${open} requests are open at the hanging webhook, ${holding.abandoned} were abandoned`,
  );
  findings.check(open <= slotsPerProcess * replicas, `${open} requests are open at the hanging webhook`);
  holding.release();
  const changes = webhooks.clients.map((id) => `client.created ${id}`);
  await Promise.all([...subscribers, hanging].map((subscriber) => compareDeliveries(subscriber, changes, findings)));
  const figure = `${clients} events at each of ${subscribers.length} webhooks while a hanging one kept ${open} requests open; after its release there as well`;
  return { seed: chooseSeed(), tries: clients, figure, failures: findings.failures };
}

/** Resolves when `expected` deliveries are pending in the store. Their events have left the stream by then. */
const waitingAt = ({ agency, webhookId }: Subscriber, expected: number) =>
  eventually(async () => {
    const { total } = (await agency.api.get(`/webhooks/${webhookId}/deliveries?status=pending&limit=1`)).expect(200).body;
    if (total !== expected) throw new Error(`${total} deliveries of ${expected} are pending for the hanging webhook`);
  }, storeTimeoutMs);
