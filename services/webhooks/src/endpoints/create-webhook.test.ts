import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newWebhook, refusal, repeatable, someHook } from '../testing/calls.ts';
import { endpointsMost, secrets, useWebhooks } from '../testing/running-service.ts';
import { createWebhook } from './create-webhook.ts';

useWebhooks();

const request = { url: someHook, events: ['client.created'] };
const total = async (org: string) => (await call('webhooks.ListWebhooks', {}, testCaller(org))).total;

test('of many that are made at once as many get in as an organization may have', async () => {
  const org = randomUUID();
  const outcomes = await Promise.allSettled(Array.from({ length: endpointsMost + 5 }, () => newWebhook(org)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason)).toEqual(Array(5).fill(refusal('webhook_limit_reached')));
  expect(await total(org)).toBe(endpointsMost);
});

test('a webhook that is deleted makes room for another one', async () => {
  const org = randomUUID();
  const made = await Promise.all(Array.from({ length: endpointsMost }, () => newWebhook(org)));
  await call('webhooks.DeleteWebhook', { webhook_id: made[2]?.id }, testCaller(org));
  await newWebhook(org);
  await expect(newWebhook(org)).rejects.toEqual(refusal('webhook_limit_reached'));
});

test('where more stand than may by now, none is added until enough are gone', async () => {
  const org = randomUUID();
  await Promise.all(Array.from({ length: 3 }, () => newWebhook(org)));
  const outbound = { assertAllowed: async () => undefined };
  const fewer = createWebhook({ outbound, secrets, endpointsMost: 2 });
  await expect(fewer.run(request, testCaller(org))).rejects.toEqual(refusal('webhook_limit_reached'));
});

test('an address that may not be called is refused with the reason, and nothing is made', async () => {
  const org = randomUUID();
  const reason = { path: 'url', message: expect.stringContaining('10.0.0.1') };
  await expect(newWebhook(org, { url: 'https://10.0.0.1/hook' })).rejects.toMatchObject({ code: 'url_not_allowed', details: [reason] });
  expect(await total(org)).toBe(0);
});

test('when the process that made a webhook dies before the answer, the retry shows that one with its secret', async () => {
  const org = randomUUID();
  const outbound = { assertAllowed: async () => undefined };
  // There is room for one: the retry must not look for a second place.
  const create = createWebhook({ outbound, secrets, endpointsMost: 1 });
  const { idempotency } = repeatable();
  const attempt = () => create.run(request, testCaller(org, { idempotency }));
  const lost = await attempt();
  expect(await attempt()).toEqual(lost);
  expect(await total(org)).toBe(1);
});
