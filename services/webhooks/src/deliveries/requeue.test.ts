import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { testCaller } from '@webkiln/store/testing';
import { newWebhook, present, refusal } from '../testing/calls.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { replaysPerSecond, retentionMs, useWebhooks } from '../testing/running-service.ts';
import type { DeliveryState } from './delivery.ts';
import { DeliveryModel } from './delivery-store.ts';
import { requeueRange } from './requeue-store.ts';

useWebhooks();

let org: string;
beforeEach(() => {
  org = randomUUID();
});

const hourMs = 3600_000;
const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
const attempt = { at: at(0), status_code: 500, latency_ms: 1, response: '', reason: 'It failed.' };
const over: Partial<DeliveryState> = { status: 'failed', attempts: [attempt], attempt_count: 10 };

const stored = async (_id: string) => present(await scoped(DeliveryModel, { org_id: org }).findOne({ _id }));
const statusAt = async (id: string) => (await stored(id)).status;
const retry = (webhook_id: string, delivery_id: string, as = org) =>
  call('webhooks.RetryDelivery', { webhook_id, delivery_id }, testCaller(as));
const replay = (webhook_id: string, range: { after: string; before?: string; status?: string }) =>
  call('webhooks.ReplayDeliveries', { webhook_id, ...range }, testCaller(org));

describe('a retry', () => {
  test.each(['failed', 'skipped', 'delivered'] as const)(
    'of a %s delivery begins its schedule anew and keeps what was tried',
    async (status) => {
      const { id } = await newWebhook(org);
      const soon = new Date(Date.now() + 60_000);
      const delivery = await keptDelivery(org, id, { ...over, status, delivered_at: at(1), expire_at: soon });
      const before = Date.now();
      const reply = await retry(id, delivery);
      expect(reply.delivery).toMatchObject({ id: delivery, status: 'pending', attempts: [attempt] });
      const { due_at, expire_at, ...state } = await stored(delivery);
      expect(state).toMatchObject({ status: 'pending', attempt_count: 0, attempts: [attempt], delivered_at: null, claim: null });
      expect(Math.abs(present(due_at).getTime() - before)).toBeLessThan(hourMs);
      expect(expire_at.getTime()).toBeGreaterThanOrEqual(before + retentionMs);
    },
  );

  test('of a pending delivery brings its next attempt forward', async () => {
    const { id } = await newWebhook(org);
    const later = new Date(Date.now() + 20 * hourMs);
    const delivery = await keptDelivery(org, id, { ...over, status: 'pending', attempt_count: 8, due_at: later });
    await retry(id, delivery);
    expect(present((await stored(delivery)).due_at).getTime()).toBeLessThan(later.getTime() - hourMs);
  });

  test('of a delivery in flight lets the attempt finish, and shows no next attempt', async () => {
    const { id } = await newWebhook(org);
    const delivery = await keptDelivery(org, id, { status: 'pending', claim: 'somebody', due_at: new Date(Date.now() + 15_000) });
    const before = await stored(delivery);
    const shown = present((await retry(id, delivery)).delivery);
    expect([shown.status, shown.next_attempt_at]).toEqual(['pending', undefined]);
    expect(await stored(delivery)).toEqual(before);
  });

  test('of a delivery of another webhook, another organization or none is not found and changes nothing', async () => {
    const [own, other] = [await newWebhook(org), await newWebhook(org)];
    const delivery = await keptDelivery(org, own.id, over);
    const foreign = randomUUID();
    for (const [webhook, id, as] of [
      [other.id, delivery, org],
      [own.id, delivery, foreign],
      [own.id, randomUUID(), org],
    ] as const) {
      await expect(retry(webhook, id, as)).rejects.toEqual(refusal('delivery_not_found'));
    }
    expect(await statusAt(delivery)).toBe('failed');
  });
});

test('retries for an inactive webhook are refused until it is activated', async () => {
  const { id } = await newWebhook(org);
  const delivery = await keptDelivery(org, id, over);
  await call('webhooks.UpdateWebhook', { webhook_id: id, is_active: false, update_mask: ['is_active'] }, testCaller(org));
  for (const asked of [
    retry(id, delivery),
    replay(id, { after: at(0) }),
    call('webhooks.TestWebhook', { webhook_id: id }, testCaller(org)),
  ]) {
    await expect(asked).rejects.toEqual(refusal('webhook_inactive'));
  }
  expect(await statusAt(delivery)).toBe('failed');
});

describe('a replay', () => {
  test('sends only failed and skipped deliveries, from `after` (inclusive) to `before` (exclusive)', async () => {
    const { id } = await newWebhook(org);
    const kept = (hour: number, status: DeliveryState['status']) => keptDelivery(org, id, { ...over, status, created_at: at(hour) });
    const [early, first, skipped, delivered, late] = [
      await kept(1, 'failed'),
      await kept(2, 'failed'),
      await kept(3, 'skipped'),
      await kept(3, 'delivered'),
      await kept(4, 'failed'),
    ];
    expect(await replay(id, { after: '2026-01-01T03:00:00+01:00', before: at(4) })).toEqual({ queued: 2 });
    const states = await Promise.all([early, first, skipped, delivered, late].map(statusAt));
    expect(states).toEqual(['failed', 'pending', 'pending', 'delivered', 'failed']);
  });

  test('sends successful deliveries on request', async () => {
    const { id } = await newWebhook(org);
    const [delivered, failed] = [await keptDelivery(org, id), await keptDelivery(org, id, over)];
    expect(await replay(id, { after: at(0), status: 'delivered' })).toEqual({ queued: 1 });
    expect([await statusAt(delivered), await statusAt(failed)]).toEqual(['pending', 'failed']);
  });

  test('queues up to its limit, oldest first, and returns where to continue', async () => {
    const { id } = await newWebhook(org);
    for (const hour of [4, 1, 3, 5, 2]) await keptDelivery(org, id, { ...over, created_at: at(hour) });
    const range = { endpointId: id, statuses: ['failed'] as const, after: at(0), before: at(9) };
    const bounds = { max: 3, perSecond: 10, until: Date.now() + hourMs };
    expect(await requeueRange({ org_id: org }, range, retentionMs, bounds)).toMatchObject({ queued: 3, next: at(4) });
    expect(await requeueRange({ org_id: org }, { ...range, after: at(4) }, retentionMs, bounds)).toMatchObject({ queued: 2, next: null });
  });

  test('makes so many due in each second, also of concurrent replays of several webhooks', async () => {
    const webhooks = await Promise.all([newWebhook(org), newWebhook(org), newWebhook(org)]);
    for (const { id } of webhooks) for (let index = 0; index < 25; index++) await keptDelivery(org, id, { ...over, created_at: at(1) });
    const replies = await Promise.all(webhooks.map(({ id }) => replay(id, { after: at(0), before: at(9) })));
    expect(replies.map(({ queued }) => queued)).toEqual([25, 25, 25]);
    const due = (await scoped(DeliveryModel, { org_id: org }).find({}))
      .map(({ due_at }) => present(due_at).getTime())
      .toSorted((a, b) => a - b);
    for (const [index, time] of due.entries()) {
      const sameSecond = due.filter((other) => other >= time && other < time + 1000);
      expect(sameSecond.length).toBeLessThanOrEqual(2 * replaysPerSecond);
      expect(time - present(due[0])).toBeGreaterThanOrEqual((index / replaysPerSecond) * 1000 - 1000);
    }
  });

  test('ends in time, and returns where to continue', async () => {
    const { id } = await newWebhook(org);
    await keptDelivery(org, id, { ...over, created_at: at(1) });
    const range = { endpointId: id, statuses: ['failed'] as const, after: at(0), before: at(9) };
    expect(await requeueRange({ org_id: org }, range, retentionMs, { max: 3, perSecond: 10, until: 0 })).toMatchObject({
      queued: 0,
      next: at(1),
    });
  });
});
