import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { testCaller, until } from '@webkiln/store/testing';
import { EndpointModel } from '../endpoints/endpoint-store.ts';
import { newWebhook } from '../testing/calls.ts';
import { keptDelivery, keptStatuses } from '../testing/deliveries.ts';
import { useWebhooks } from '../testing/running-service.ts';

useWebhooks();

const due = () => ({ status: 'pending' as const, due_at: new Date(Date.now() + 3600_000) });
const pause = (org: string, webhook_id: string, is_active = false) =>
  call('webhooks.UpdateWebhook', { webhook_id, is_active, update_mask: ['is_active'] }, testCaller(org));

test('pending deliveries of a deactivated webhook are skipped, and nothing else changes', async () => {
  const org = randomUUID();
  const [paused, other] = [await newWebhook(org), await newWebhook(org)];
  const waiting = await Promise.all(Array.from({ length: 3 }, () => keptDelivery(org, paused.id, due())));
  const delivered = await keptDelivery(org, paused.id);
  const failed = await keptDelivery(org, paused.id, { status: 'failed' });
  const others = await keptDelivery(org, other.id, due());
  await pause(org, paused.id);
  const skipped = Object.fromEntries(waiting.map((id) => [id, 'skipped']));
  await until(async () => Object.values(await keptStatuses(org, paused.id)).every((status) => status !== 'pending'));
  expect(await keptStatuses(org, paused.id)).toEqual({ ...skipped, [delivered]: 'delivered', [failed]: 'failed' });
  expect(await keptStatuses(org, other.id)).toEqual({ [others]: 'pending' });
});

test("deliveries created after a webhook's reactivation are not skipped", async () => {
  const org = randomUUID();
  const { id } = await newWebhook(org);
  const before = await keptDelivery(org, id, due());
  const later = await keptDelivery(org, id, { ...due(), created_at: new Date(Date.now() + 60_000).toISOString() });
  await pause(org, id);
  await until(async () => (await keptStatuses(org, id))[before] === 'skipped');
  expect((await keptStatuses(org, id))[later]).toBe('pending');
});

test('all deliveries of a deleted webhook are deleted, and no others', async () => {
  const org = randomUUID();
  const [gone, other] = [await newWebhook(org), await newWebhook(org)];
  await Promise.all([keptDelivery(org, gone.id), keptDelivery(org, gone.id, due()), keptDelivery(org, gone.id, { status: 'failed' })]);
  const kept = await keptDelivery(org, other.id);
  await call('webhooks.DeleteWebhook', { webhook_id: gone.id }, testCaller(org));
  await until(async () => Object.keys(await keptStatuses(org, gone.id)).length === 0);
  expect(await keptStatuses(org, other.id)).toEqual({ [kept]: 'delivered' });
  await until(async () => (await scoped(EndpointModel, { org_id: `deleted:${gone.id}` }).count({})) === 0);
});

test('skipping and deleting cover more deliveries than one batch', async () => {
  const org = randomUUID();
  const { id } = await newWebhook(org);
  await Promise.all(Array.from({ length: 2_500 }, () => keptDelivery(org, id, due())));
  await pause(org, id);
  await until(async () => Object.values(await keptStatuses(org, id)).every((status) => status === 'skipped'));
  await call('webhooks.DeleteWebhook', { webhook_id: id }, testCaller(org));
  await until(async () => Object.keys(await keptStatuses(org, id)).length === 0);
});
