import type { Delivery } from '@webkiln/contract';
import { eventually } from '../../../harness/agency.ts';
import type { Findings } from '../outcome.ts';
import { changeKey, listAll } from '../records/compare-records.ts';
import type { Subscriber } from './subscriber.ts';

const settleTimeoutMs = 150_000;

/**
 * Checks that the webhook accepted exactly the subscribed `changes` (in the form of `changeKey`), each under one id
 * and body, and that the API lists one delivered delivery for each.
 */
export async function compareDeliveries(subscriber: Subscriber, changes: readonly string[], findings: Findings): Promise<void> {
  const found = (what: string) => findings.check(false, `webhook ${subscriber.webhookId} for ${subscriber.types}: ${what}`);
  const expected = changes.filter((change) => subscriber.types.some((type) => change.startsWith(`${type} `)));
  await eventually(() => untilAllDelivered(subscriber, expected.length), settleTimeoutMs).catch((error: unknown) => found(String(error)));
  const accepted = [...subscriber.received.values()].filter((received) => received.accepted);
  for (const what of subscriber.violations) found(what);
  for (const what of differences(
    expected,
    accepted.map(({ event }) => changeKey(event)),
  ))
    found(what);
  const deliveries = await deliveriesOf(subscriber);
  for (const { event_id, status } of deliveries) if (status !== 'delivered') found(`the delivery of ${event_id} is ${status}`);
  const ids = deliveries.map(({ event_id }) => event_id);
  for (const what of differences([...subscriber.received.keys()], ids)) found(`list of deliveries: ${what}`);
}

export const deliveriesOf = ({ agency, webhookId }: Subscriber): Promise<Delivery[]> =>
  listAll<Delivery>(agency.api, 'deliveries', `/webhooks/${webhookId}/deliveries`);

async function untilAllDelivered({ agency, webhookId }: Subscriber, expected: number): Promise<void> {
  const { total } = (await agency.api.get(`/webhooks/${webhookId}/deliveries?status=delivered&limit=1`)).expect(200).body;
  if (total < expected) throw new Error(`${expected - total} of ${expected} events were not delivered in ${settleTimeoutMs / 1000} s`);
}

/** Lists the entries that do not occur equally often in both lists. */
function differences(expected: readonly string[], actual: readonly string[]): string[] {
  const surplus = new Map<string, number>();
  for (const each of actual) surplus.set(each, (surplus.get(each) ?? 0) + 1);
  for (const each of expected) surplus.set(each, (surplus.get(each) ?? 0) - 1);
  return [...surplus].flatMap(([each, count]) => (count === 0 ? [] : [`${each} ${count > 0 ? `${count} too many` : `${-count} missing`}`]));
}
