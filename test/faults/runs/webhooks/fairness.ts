import { eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { compareDeliveries } from './compare-deliveries.ts';
import { HealthyWebhooks } from './healthy-webhooks.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { slotsOfAProcess } from './patient-settings.ts';
import type { Subscriber } from './subscriber.ts';

const senders = 8;
const storedWithinMs = 120_000;

interface Counts {
  readonly clients: number;
  /** Processes of the webhooks service. */
  readonly replicas: number;
}

/**
 * A webhook that never answers holds up nobody: all events arrive at ten others while it still has not answered its first request. The
 * platform must have the patient settings.
 */
export async function keepFair(platform: TestPlatform, { clients, replicas }: Counts): Promise<Outcome> {
  const findings = new Findings();
  await using webhooks = await HealthyWebhooks.beside(platform.facts);
  const { holding, subscribers, hanging } = webhooks;
  let begun = 0;
  const send = async () => {
    while (begun < clients) await webhooks.createClient(`Client ${begun++}`);
  };
  await Promise.all(Array.from({ length: senders }, send));
  await webhooks.arrived().catch((error: unknown) => findings.check(false, String(error)));
  await waitingAt(hanging, clients).catch((error: unknown) => findings.check(false, String(error)));
  const open = holding.held.size;
  findings.check(
    open > 0 && holding.abandoned === 0,
    `${open} requests are open at the webhook that hangs, ${holding.abandoned} were given up`,
  );
  findings.check(open <= slotsOfAProcess * replicas, `${open} requests are open at the webhook that hangs`);
  holding.release();
  const changes = webhooks.clients.map((id) => `client.created ${id}`);
  await Promise.all([...subscribers, hanging].map((subscriber) => compareDeliveries(subscriber, changes, findings)));
  const figure = `${clients} events at each of ${subscribers.length} webhooks while one beside them kept ${open} requests open; then there, too`;
  return { seed: chooseSeed(), tries: clients, figure, failures: findings.failures };
}

/** Resolves when so many deliveries wait in the store: the stream has forgotten their events, and waits for nobody. */
const waitingAt = ({ agency, webhookId }: Subscriber, expected: number) =>
  eventually(async () => {
    const { total } = (await agency.api.get(`/webhooks/${webhookId}/deliveries?status=pending&limit=1`)).expect(200).body;
    if (total !== expected) throw new Error(`${total} deliveries of ${expected} wait for the webhook that hangs`);
  }, storedWithinMs);
