import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newWebhook, present, refusal, repeatable } from '../testing/calls.ts';
import { maxEndpoints, secrets, useWebhooks } from '../testing/running-service.ts';
import { existingEndpoint } from './endpoint-store.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';

useWebhooks();

const hourMs = 3600_000;

async function rotate(org: string, webhook_id: string): Promise<string> {
  const { webhook } = await call('webhooks.RotateWebhookSecret', { webhook_id }, testCaller(org));
  return present(webhook).secret;
}

async function signing(org: string, id: string, inMs = 0): Promise<string[]> {
  return secrets.signing(await existingEndpoint({ org_id: org }, id), new Date(Date.now() + inMs));
}

test('deliveries are signed by one secret, and for 24 hours after a rotation by both, the new one first', async () => {
  const org = randomUUID();
  const { id, secret } = await newWebhook(org);
  expect(await signing(org, id)).toEqual([secret]);
  const fresh = await rotate(org, id);
  expect(await signing(org, id)).toEqual([fresh, secret]);
  expect(await signing(org, id, 23.9 * hourMs)).toEqual([fresh, secret]);
  expect(await signing(org, id, 24 * hourMs)).toEqual([fresh]);
});

test('a second rotation ends the old secret of the first one', async () => {
  const org = randomUUID();
  const { id } = await newWebhook(org);
  const [second, third] = [await rotate(org, id), await rotate(org, id)];
  expect(await signing(org, id)).toEqual([third, second]);
});

test('if the process dies after rotating a secret, the retry returns the new one without rotating again', async () => {
  const org = randomUUID();
  const { id, secret } = await newWebhook(org);
  const { run } = rotateWebhookSecret({
    outbound: { assertAllowed: async () => undefined },
    secrets,
    maxEndpoints: async () => maxEndpoints,
  });
  const { idempotency } = repeatable();
  const attempt = () => run({ webhook_id: id }, testCaller(org, { idempotency, ifMatch: '"r1"' }));
  const lost = await attempt();
  expect(await attempt()).toEqual(lost);
  expect(await signing(org, id)).toEqual([lost.webhook?.secret, secret]);
});

test("another organization's secret cannot be rotated", async () => {
  const org = randomUUID();
  const { id, secret } = await newWebhook(org);
  await expect(rotate(randomUUID(), id)).rejects.toEqual(refusal('webhook_not_found'));
  expect(await signing(org, id)).toEqual([secret]);
});
