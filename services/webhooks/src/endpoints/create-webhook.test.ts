import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newWebhook, refusal, repeatable, someHook } from '../testing/calls.ts';
import { maxEndpoints, secrets, useWebhooks } from '../testing/running-service.ts';
import { createWebhook } from './create-webhook.ts';
import { openEndpoint } from './endpoint.ts';
import { addEndpoint } from './endpoint-store.ts';

useWebhooks();

const request = { url: someHook, events: ['client.created'] };
const total = async (org: string) => (await call('webhooks.ListWebhooks', {}, testCaller(org))).total;

test("concurrent creations never exceed an organization's limit", async () => {
  const org = randomUUID();
  const outcomes = await Promise.allSettled(Array.from({ length: maxEndpoints + 5 }, () => newWebhook(org)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason)).toEqual(Array(5).fill(refusal('quota_exceeded')));
  expect(await total(org)).toBe(maxEndpoints);
});

test('a deleted webhook frees its place', async () => {
  const org = randomUUID();
  const made = await Promise.all(Array.from({ length: maxEndpoints }, () => newWebhook(org)));
  await call('webhooks.DeleteWebhook', { webhook_id: made[2]?.id }, testCaller(org));
  await newWebhook(org);
  await expect(newWebhook(org)).rejects.toEqual(refusal('quota_exceeded'));
});

test('after the limit was lowered, none is added until enough are deleted', async () => {
  const org = randomUUID();
  await Promise.all(Array.from({ length: 3 }, () => newWebhook(org)));
  const outbound = { assertAllowed: async () => undefined };
  const fewer = createWebhook({ outbound, secrets, maxEndpoints: async () => 2 });
  await expect(fewer.run(request, testCaller(org))).rejects.toEqual(refusal('quota_exceeded'));
});

test('webhooks beyond a lowered limit count: of many at once, only as many are added as it leaves room for', async () => {
  const org = randomUUID();
  const add = (limit: number) =>
    addEndpoint({ org_id: org }, limit, (place) => {
      const opened = { _id: randomUUID(), org_id: org, url: someHook, events: ['client.created' as const], place, secret: 'sealed' };
      return openEndpoint(opened, new Date().toISOString());
    });
  // Their places are spread over those of the high limit.
  await Promise.all(Array.from({ length: 10 }, () => add(1_000)));
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => add(15)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await total(org)).toBe(15);
});

test('a forbidden address is refused with the reason, and nothing is created', async () => {
  const org = randomUUID();
  const reason = { path: 'url', message: expect.stringContaining('10.0.0.1') };
  await expect(newWebhook(org, { url: 'https://10.0.0.1/hook' })).rejects.toMatchObject({ code: 'url_not_allowed', details: [reason] });
  expect(await total(org)).toBe(0);
});

test('if the process dies after creating a webhook, the retry returns that webhook with its secret', async () => {
  const org = randomUUID();
  const outbound = { assertAllowed: async () => undefined };
  // The limit is one, so the retry must not need a second place.
  const create = createWebhook({ outbound, secrets, maxEndpoints: async () => 1 });
  const { idempotency } = repeatable();
  const attempt = () => create.run(request, testCaller(org, { idempotency }));
  const lost = await attempt();
  expect(await attempt()).toEqual(lost);
  expect(await total(org)).toBe(1);
});
