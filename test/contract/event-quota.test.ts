import { agency, eventually } from '../harness/agency.ts';
import { setLimit } from '../harness/operator.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';
import { activeClient, makeProject, makeWebhook } from './fixtures.ts';

/** An organization whose `project.created` goes to the receiver. */
async function subscriber({ url }: WebhookReceiver) {
  const { api, organization } = await agency(undefined, { rateLimit: 1_000_000 });
  const client = await activeClient(api);
  await makeWebhook(api, { url, events: ['project.created'] });
  return { id: organization.id, raise: async () => (await makeProject(api, client)).id };
}

test('events beyond the limit of an organization wait while those of others arrive; a higher limit lets each of them arrive', async () => {
  await using receiver = await WebhookReceiver.start();
  const [ours, other] = [await subscriber(receiver), await subscriber(receiver)];
  const arrived = () => new Set(receiver.received.map(({ event }) => event.data.project.id));
  const othersArrive = async () => {
    const id = await other.raise();
    await eventually(() => expect(arrived()).toContain(id));
  };
  await setLimit(ours.id, 'events', 0);
  const first = await eventually(async () => {
    const id = await ours.raise();
    await othersArrive();
    expect(arrived()).not.toContain(id);
    return id;
  });
  const rest = await Promise.all(Array.from({ length: 50 }, ours.raise));
  await othersArrive();
  const waiting = [first, ...rest];
  expect(waiting.filter((id) => arrived().has(id))).toEqual([]);
  await setLimit(ours.id, 'events', 3_000);
  await eventually(() => expect(waiting.filter((id) => !arrived().has(id))).toEqual([]));
});
