import type { Delivery } from '@webkiln/contract';
import { eventually } from '../../harness/agency.ts';
import { listAll, telling } from './compare.ts';
import type { Findings } from './outcome.ts';
import type { Subscriber } from './subscriber.ts';

const settledWithinMs = 300_000;

/**
 * Everything that happened and that a webhook subscribes to (`changes`, as `telling` has them) was taken there, under one id and body, and
 * nothing else came; and the platform shows one delivery for each, delivered.
 */
export async function compareDeliveries(subscriber: Subscriber, changes: readonly string[], findings: Findings): Promise<void> {
  const found = (what: string) => findings.check(false, `webhook ${subscriber.webhookId} for ${subscriber.types}: ${what}`);
  const expected = changes.filter((change) => subscriber.types.some((type) => change.startsWith(`${type} `)));
  await eventually(() => untilAllDelivered(subscriber, expected.length), settledWithinMs).catch((error: unknown) => found(String(error)));
  const taken = [...subscriber.heard.values()].filter((heard) => heard.taken);
  for (const what of subscriber.wrong) found(what);
  for (const what of differences(
    expected,
    taken.map(({ event }) => telling(event)),
  ))
    found(what);
  const deliveries = await deliveriesOf(subscriber);
  for (const { event_id, status } of deliveries) if (status !== 'delivered') found(`the delivery of ${event_id} is ${status}`);
  const ids = deliveries.map(({ event_id }) => event_id);
  for (const what of differences([...subscriber.heard.keys()], ids)) found(`of the list of deliveries: ${what}`);
}

export const deliveriesOf = ({ agency, webhookId }: Subscriber): Promise<Delivery[]> =>
  listAll<Delivery>(agency.api, 'deliveries', `/webhooks/${webhookId}/deliveries`);

async function untilAllDelivered({ agency, webhookId }: Subscriber, expected: number): Promise<void> {
  const { total } = (await agency.api.get(`/webhooks/${webhookId}/deliveries?status=delivered&limit=1`)).expect(200).body;
  if (total < expected) throw new Error(`${expected - total} of ${expected} events were not delivered in ${settledWithinMs / 1000} s`);
}

/** Names what is not in the other list just as often. */
function differences(expected: readonly string[], actual: readonly string[]): string[] {
  const surplus = new Map<string, number>();
  for (const each of actual) surplus.set(each, (surplus.get(each) ?? 0) + 1);
  for (const each of expected) surplus.set(each, (surplus.get(each) ?? 0) - 1);
  return [...surplus].flatMap(([each, count]) => (count === 0 ? [] : [`${each} ${count > 0 ? `${count} too many` : `${-count} missing`}`]));
}
