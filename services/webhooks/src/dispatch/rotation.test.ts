import { generateWebhookSecret } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import { present } from '../testing/calls.ts';
import { endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { secrets } from '../testing/running-service.ts';

const { receiver, start, publish } = useDispatcher();

const dayMs = 24 * 3600_000;

/** Delivers one event to an endpoint whose previous secret is valid until the given time. */
async function received(previous: string, until: Date) {
  const org_id = crypto.randomUUID();
  const endpoint = await endpointAt(receiver.url(), org_id, {
    previous_secret: secrets.sealSecret(org_id, previous),
    previous_secret_until: until,
  });
  start();
  await publish(org_id);
  await settled(org_id, 1, 'delivered');
  const { body, headers } = present(receiver.received[0]);
  return { current: endpoint.plainSecret, body, headers: headers as Record<string, string> };
}

test('after a rotation both the old and the new secret verify for a day', async () => {
  const old = generateWebhookSecret();
  const { current, body, headers } = await received(old, new Date(Date.now() + dayMs));
  expect(new Webhook(current).verify(body, headers)).toBeDefined();
  expect(new Webhook(old).verify(body, headers)).toBeDefined();
});

test('after that day only the new secret verifies', async () => {
  const old = generateWebhookSecret();
  const { current, body, headers } = await received(old, new Date(Date.now() - 1));
  expect(new Webhook(current).verify(body, headers)).toBeDefined();
  expect(() => new Webhook(old).verify(body, headers)).toThrow('No matching signature found');
});
