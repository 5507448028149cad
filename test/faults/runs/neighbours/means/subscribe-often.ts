import type { Agency } from '../../../../harness/agency.ts';
import type { ReceiverServer } from '../../webhooks/receiver.ts';
import type { Subscriber } from '../../webhooks/subscriber.ts';

/** Registers as many webhooks of an agency for changes of clients. */
export async function subscribeOften(receivers: ReceiverServer, agency: Agency, webhooks: number): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = [];
  for (let each = 0; each < webhooks; each++) subscribers.push(await receivers.subscribe(agency, ['client.updated']));
  return subscribers;
}

/** Deletes them, even while their owner is over its limit of requests. */
export async function unsubscribe(subscribers: readonly Subscriber[]): Promise<void> {
  for (const { agency, webhookId } of subscribers) {
    await agency.eventually(async () => (await agency.api.delete(`/webhooks/${webhookId}`)).expect(200));
  }
}
