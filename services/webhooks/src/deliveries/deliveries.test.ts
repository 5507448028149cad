import { randomUUID } from 'node:crypto';
import { Client, Project, webhookEvents } from '@webkiln/contract';
import { call, type RequestOf } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { operationsOn, testCaller, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newWebhook, present, refusal } from '../testing/calls.ts';
import { claimedUntil, keptDelivery } from '../testing/deliveries.ts';
import { replaysPerSecond, retentionMs, useWebhooks } from '../testing/running-service.ts';
import { type DeliveryState, deliveryId } from './delivery.ts';
import { DeliveryModel, endpointsDue, nextDue, pendingCount } from './delivery-store.ts';
import { requeueRange } from './requeue-store.ts';
import { sampleEvent } from './test-webhook.ts';

describe('deliveries', () => {
  useWebhooks();

  describe('a list of deliveries', () => {
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
      const { deliveries = [], total } = await call(
        'webhooks.ListDeliveries',
        { webhook_id: webhook, limit: 50, ...asked },
        testCaller(org),
      );
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
  });

  describe('queueing again', () => {
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
        expect(await requeueRange({ org_id: org }, { ...range, after: at(4) }, retentionMs, bounds)).toMatchObject({
          queued: 2,
          next: null,
        });
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
  });

  describe('a sample event', () => {
    const about = {
      id: '5a1a3f0e-90d2-4f3b-8a44-6a1c0f7d2b9e',
      org_id: '7d4f3c52-8a61-4b0e-9f6e-1b1d52a7c0de',
      timestamp: '2026-03-02T09:45:30.004Z',
    };

    test.each(webhookEvents)(
      'a sample of %s has the shape of a real event, with the records of the REST API, and is marked as a test',
      (type) => {
        const { data, ...envelope } = sampleEvent(type, about);
        expect(envelope).toEqual({ ...about, type, api_version: 'v1', test: true });
        const { client, project } = data as { client?: unknown; project?: unknown };
        expect(client ?? project).toBeDefined();
        if (client !== undefined) expect(Client.strict().parse(client)).toEqual(client);
        if (project !== undefined) expect(Project.strict().parse(project)).toEqual(project);
      },
    );
  });
});

describe('delivery store', () => {
  useTestStore();

  const inMs = (ms: number) => new Date(Date.now() + ms);
  const hourMs = 3600_000;
  const busy = { org_id: randomUUID(), endpoint: randomUUID() };
  const quiet = { org_id: randomUUID(), endpoint: randomUUID() };
  const resting = { org_id: randomUUID(), endpoint: randomUUID() };
  const oldest = inMs(-hourMs);
  const next = inMs(hourMs);

  beforeAll(async () => {
    const keep = ({ org_id, endpoint }: typeof busy, due_at: Date) => keptDelivery(org_id, endpoint, { status: 'pending', due_at });
    await keep(busy, oldest);
    for (let index = 0; index < 99; index++) await keep(busy, inMs(-1_000));
    await keep(quiet, inMs(-1_000));
    for (let index = 0; index < 50; index++) await keep(resting, new Date(next.getTime() + index));
    for (let index = 0; index < 50; index++) await keptDelivery(quiet.org_id, quiet.endpoint);
  });

  test('endpoints with due deliveries are found from an index alone, scanning keys per endpoint, not per delivery', async () => {
    const [operation] = await operationsOn('deliveries', async () => {
      const found = await endpointsDue(new Date());
      const wanted = [busy, quiet].map(({ org_id, endpoint }) => ({ org_id, key: endpoint }));
      expect(found.toSorted((a, b) => a.key.localeCompare(b.key))).toEqual(wanted.toSorted((a, b) => a.key.localeCompare(b.key)));
    });
    expect(operation?.planSummary).toMatch(/^DISTINCT_SCAN/);
    expect(operation?.docsExamined).toBe(0);
    expect(operation?.keysExamined).toBeLessThanOrEqual(6);
  });

  test('the next due time is the first key of an index', async () => {
    const operations = await operationsOn('deliveries', async () => {
      expect(await nextDue()).toEqual(oldest);
      expect(await nextDue(new Date())).toEqual(next);
    });
    expect(operations.map(({ keysExamined, docsExamined }) => [keysExamined, docsExamined])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test('pending deliveries are counted from an index, up to a bound', async () => {
    const [operation] = await operationsOn('deliveries', async () => expect(await pendingCount(1_000)).toBe(151));
    expect(operation?.docsExamined).toBe(0);
    expect(await pendingCount(10)).toBe(10);
  });

  test('a claim reads and changes only what it claims, longest overdue first', async () => {
    const operations = await operationsOn('deliveries', async () => {
      const claimed = await claimedUntil(busy, busy.endpoint, 5, new Date(), inMs(hourMs));
      expect(claimed).toHaveLength(5);
      expect(await nextDue()).not.toEqual(oldest);
    });
    for (const { docsExamined } of operations) expect(docsExamined).toBeLessThanOrEqual(5);
  });

  test('a claim never covers another organization', async () => {
    expect(await claimedUntil(quiet, busy.endpoint, 5, new Date(), inMs(hourMs))).toEqual([]);
  });

  test('MongoDB deletes expired deliveries', async () => {
    const indexes = await mongoose.connection.collection('deliveries').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expire_at: 1 }, expireAfterSeconds: 0 }));
  });

  test('the id of a delivery is a UUID derived from its event and endpoint', () => {
    const [event, other, endpoint] = [randomUUID(), randomUUID(), randomUUID()];
    const ids = [deliveryId(event, endpoint), deliveryId(other, endpoint), deliveryId(event, other)];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(deliveryId(event, endpoint)).toBe(ids[0]);
  });
});
