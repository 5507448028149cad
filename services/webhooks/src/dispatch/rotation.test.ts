import { generateWebhookSecret } from '@webkiln/contract';
import { Webhook } from 'standardwebhooks';
import { present } from '../testing/calls.ts';
import { endpointAt, settled, useDispatcher } from '../testing/running-dispatcher.ts';
import { secrets } from '../testing/running-service.ts';

const { receiver, start, publish } = useDispatcher();

const dayMs = 24 * 3600_000;

/** Receives one event at an endpoint whose secret before this one signs along until then. */
async function received(previous: string, until: Date) {
  const org_id = crypto.randomUUID();
  const endpoint = await endpointAt(receiver.url(), org_id, {
    previous_secret: secrets.keep(org_id, previous),
    previous_secret_until: until,
  });
  start();
  await publish(org_id);
  await settled(org_id, 1, 'delivered');
  const { body, headers } = present(receiver.received[0]);
  return { current: endpoint.plainSecret, body, headers: headers as Record<string, string> };
}

test('after a rotation the old secret verifies for a day beside the new one', async () => {
  const old = generateWebhookSecret();
  const { current, body, headers } = await received(old, new Date(Date.now() + dayMs));
  expect(new Webhook(current).verify(body, headers)).toBeDefined();
  expect(new Webhook(old).verify(body, headers)).toBeDefined();
});

test('after that day it does not', async () => {
  const old = generateWebhookSecret();
  const { current, body, headers } = await received(old, new Date(Date.now() - 1));
  expect(new Webhook(current).verify(body, headers)).toBeDefined();
  expect(() => new Webhook(old).verify(body, headers)).toThrow('No matching signature found');
});
