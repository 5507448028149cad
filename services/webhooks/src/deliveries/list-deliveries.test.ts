import { randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { operationsOn, testCaller } from '@webkiln/store/testing';
import { newWebhook, refusal } from '../testing/calls.ts';
import { keptDelivery } from '../testing/deliveries.ts';
import { useWebhooks } from '../testing/running-service.ts';
import type { DeliveryState } from './delivery.ts';
import { requeueRange } from './requeue-store.ts';

useWebhooks();

type Asked = Partial<RequestOf<'webhooks.ListDeliveries'>>;
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const org = randomUUID();
let webhook: string;
/** By the minute of creation. */
const ids: string[] = [];

beforeAll(async () => {
  webhook = (await newWebhook(org)).id;
  const other = (await newWebhook(org)).id;
  const cases: Partial<DeliveryState>[] = [
    { status: 'failed' },
    { status: 'delivered', delivered_at: at(1) },
    { status: 'pending', due_at: new Date(at(30)) },
    { status: 'skipped', event_type: 'client.updated' },
    { status: 'failed', event_type: 'client.updated' },
  ];
  for (const [minute, delivery] of cases.entries()) ids.push(await keptDelivery(org, webhook, { ...delivery, created_at: at(minute) }));
  for (let minute = 0; minute < 20; minute++) await keptDelivery(org, other, { status: 'failed', created_at: at(minute) });
});

const list = async (asked: Asked = {}) => {
  const { deliveries = [], total } = await call('webhooks.ListDeliveries', { webhook_id: webhook, limit: 50, ...asked }, testCaller(org));
  return { minutes: deliveries.map(({ id }) => ids.indexOf(id)), total };
};

test.each<[string, Asked, number[]]>([
  ['everything', {}, [4, 3, 2, 1, 0]],
  ['a status', { status: 'failed' }, [4, 0]],
  ['the status that most have', { status: 'delivered' }, [1]],
  ['an event', { event: 'client.updated' }, [4, 3]],
  ['an event and a status', { event: 'client.updated', status: 'failed' }, [4]],
  ['a time on', { after: at(3) }, [4, 3]],
  ['before a time', { before: at(1) }, [0]],
  ['between two times, of any time zone', { after: '2026-01-01T13:01:00+01:00', before: at(3) }, [2, 1]],
  ['a status that is none', { status: 'lost' }, []],
  ['an event that is none', { event: 'client.deleted' }, []],
  ['a time that is none', { after: 'yesterday' }, []],
])("lists an endpoint's deliveries newest first: %s", async (_of, asked, minutes) => {
  expect(await list(asked)).toEqual({ minutes, total: minutes.length });
});

test('pages follow limit and offset, and the total counts all matches', async () => {
  expect(await list({ limit: 2, offset: 1 })).toEqual({ minutes: [3, 2], total: 5 });
});

test("another organization's webhook is not found", async () => {
  const asked = call('webhooks.ListDeliveries', { webhook_id: webhook, limit: 50 }, testCaller(randomUUID()));
  await expect(asked).rejects.toEqual(refusal('webhook_not_found'));
});

const offAnIndex = /^(IXSCAN|COUNT_SCAN) \{ org_id: 1, endpoint_id: 1, (created_at|status)/;
const everyQuery: Asked[] = [
  {},
  { status: 'failed' },
  { status: 'delivered' },
  { event: 'client.updated' },
  { after: at(1), before: at(3) },
];
test.each(everyQuery)('the list %j and its count are read in index order', async (asked) => {
  const operations = await operationsOn('deliveries', () => list({ ...asked, offset: 9 }));
  expect(operations.length).toBeGreaterThanOrEqual(2);
  for (const { planSummary, hasSortStage } of operations) {
    expect(planSummary).toMatch(offAnIndex);
    expect(hasSortStage).toBeUndefined();
  }
});

test('deliveries to replay are read in index order', async () => {
  const range = { endpointId: webhook, statuses: ['failed', 'skipped'] as const, after: at(20), before: at(30) };
  const bounds = { max: 10, perSecond: 100, until: Date.now() + 60_000 };
  const [found] = await operationsOn('deliveries', () => requeueRange({ org_id: org }, range, 1, bounds));
  expect(found?.planSummary).toMatch(offAnIndex);
  expect(found?.hasSortStage).toBeUndefined();
});
