import { randomUUID } from 'node:crypto';
import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';
import { closeEvents, connectEvents } from '@webkiln/events';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { ownStream, quiet, removeStream, withNats } from '@webkiln/events/testing';
import { eraseOrganization } from '@webkiln/store';
import { operationsOn, testCaller, until, useTestStore } from '@webkiln/store/testing';
import { onRequestsAnswered } from '../reactions/on-requests-answered.ts';
import { type RequestFilter, requestPage } from './request-store.ts';
import { firstDay, usageOf } from './usage.ts';
import { usageSince } from './usage-store.ts';

const options = ownStream();
const consumer = 'identity-requests';

afterAll(async () => {
  await closeEvents();
  await removeStream(options.stream);
});
useTestStore();
beforeAll(async () => {
  await connectEvents(process.env.NATS_URL ?? '', 'identity', options);
  onRequestsAnswered({ stream: options.stream });
  await until(() => published(batch([])));
});

const day = new Date().toISOString().slice(0, 10);
const noon = Date.parse(`${day}T12:00:00Z`);
const page = { limit: 100, offset: 0 };
const answered = (org_id: string, more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  ...{ org_id, request_id: randomUUID(), at: noon, kind: 'api_key', credential: 'key', method: 'GET', route: '/projects' },
  ...{ status: 200, duration_ms: 1.5, code: undefined },
  ...more,
});
const batch = (requests: readonly AnsweredRequest[]): RequestBatch => {
  const usage = requests.map(({ org_id }) => ({ org_id, key_id: 'key', requests: 1, client_errors: 0, server_errors: 0 }));
  return { id: randomUUID(), type: 'requests.answered', day, requests, usage };
};
const published = (requests: RequestBatch): Promise<boolean> =>
  answeredRequests(theBus(), options.stream)
    .publish(requests)
    .then(
      () => true,
      () => false,
    );
const found = async (org: string, wanted: RequestFilter = {}) => {
  const { requests, total } = await requestPage(testCaller(org), wanted, page);
  return { ids: requests.map(({ request_id }) => request_id), total };
};

test('a batch delivered twice is logged and counted once, and each organization sees only its own requests', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const requests = batch([answered(one, { request_id: 'a' }), answered(other), answered(one, { request_id: 'b', at: noon + 1 })]);
  await published(requests);
  // Published without a message id, so that the stream cannot deduplicate it.
  await withNats((connection) => connection.jetstream().publish(`${options.subjectPrefix}requests.answered`, JSON.stringify(requests)));
  await until(async () => (await found(one)).total > 0);
  await quiet(options, consumer);
  expect(await found(one)).toEqual({ ids: ['b', 'a'], total: 2 });
  expect((await found(other)).total).toBe(1);
  expect((await found(randomUUID())).total).toBe(0);
  const usage = await usageSince(testCaller(one), day);
  expect(usage).toMatchObject([{ key_id: 'key', day: new Date(day), requests: 2 }]);
  expect(await usageSince(testCaller(one), new Date(noon + 24 * 3600_000).toISOString().slice(0, 10))).toEqual([]);
});

test('a batch that comes after an organization was erased writes nothing of it, and all of the others', async () => {
  const [erased, other] = [randomUUID(), randomUUID()];
  await published(batch([answered(erased), answered(other)]));
  await until(async () => (await found(other)).total === 1);
  await eraseOrganization(erased);
  await published(batch([answered(erased), answered(other), answered(erased)]));
  await until(async () => (await found(other)).total === 2);
  await quiet(options, consumer);
  expect([(await found(erased)).total, await usageSince(testCaller(erased), day)]).toEqual([0, []]);
  expect(await usageSince(testCaller(other), day)).toMatchObject([{ requests: 2 }]);
});

const minute = 60_000;

test('every filter of the log reads an index in its order and examines only matching chunks', async () => {
  const org = randomUUID();
  const requests = Array.from({ length: 520 }, (_, index) => {
    const minutes = Math.floor(index / 4);
    return answered(org, {
      at: noon + minutes * minute + (index % 4),
      request_id: `r${minutes}`,
      credential: `key ${minutes % 50}`,
      status: index % 2 === 0 ? 200 : 404,
      ...(minutes === 0 && { kind: 'session', credential: 'ada' }),
    });
  });
  await published(batch(requests));
  await until(async () => (await found(org)).total === 520);
  // A read covers a hundred chunks; each minute has two here.
  const cases: readonly (readonly [wanted: RequestFilter, total: number, read: number])[] = [
    [{}, 520, 100],
    [{ request_id: 'r1' }, 4, 2],
    [{ credential_id: 'ada' }, 4, 2],
    [{ credential_id: 'ada', status_class: '4xx' }, 2, 1],
    [{ kind: 'api_key' }, 516, 100],
    [{ status_class: '4xx' }, 260, 100],
    // A chunk that ends within the following minute may have begun before.
    [{ from: new Date(noon + minute + 2), to: new Date(noon + 2 * minute) }, 2, 4],
  ];
  for (const [wanted, total, read] of cases) {
    const operations = await operationsOn('request_chunks', async () => expect((await found(org, wanted)).total).toBe(total));
    const [find] = operations.filter(({ op }) => op === 'query');
    expect(find).toMatchObject({ planSummary: expect.stringContaining('IXSCAN'), nreturned: read, docsExamined: read });
    expect(find).not.toHaveProperty('hasSortStage');
  }
});

test('requests of all gateways are listed newest first, in pages, up to the maximum', async () => {
  const org = randomUUID();
  const ids = Array.from({ length: 1200 }, (_, index) => `r${index}`);
  const requests = ids.map((request_id, index) => answered(org, { request_id, at: noon + index * 10_000 }));
  for (const gateway of [0, 1]) await published(batch(requests.filter((_, index) => index % 2 === gateway)));
  const newest = ids.toReversed();
  await until(async () => (await found(org, { request_id: 'r1198' })).total + (await found(org, { request_id: 'r1199' })).total === 2);
  expect(await found(org)).toEqual({ ids: newest.slice(0, 100), total: 1000 });
  const { requests: second, total } = await requestPage(testCaller(org), {}, { limit: 100, offset: 100 });
  expect([second.map(({ request_id }) => request_id), total]).toEqual([newest.slice(100, 200), 1000]);
});

describe('usage', () => {
  const keys = new Map([['a', { name: 'CI', prefix: 'wk_12345' }]]);
  const row = (key_id: string | null, day: string, requests: number, client_errors = 0, server_errors = 0) => ({
    ...{ key_id, day: new Date(day), requests, client_errors, server_errors },
  });

  test('the last days are UTC days and include today', () => {
    expect(firstDay(Date.parse('2026-03-02T23:59:59Z'), 1)).toBe('2026-03-02');
    expect(firstDay(Date.parse('2026-03-02T00:00:00Z'), 7)).toBe('2026-02-24');
  });

  test('usage is summed by key, busiest first, and by day without gaps', () => {
    const rows = [row('a', '2026-02-27', 5, 1), row('a', '2026-03-01', 5, 0, 2), row('gone', '2026-02-27', 3), row(null, '2026-02-28', 20)];
    expect(usageOf(rows, '2026-02-27', 3, keys)).toEqual({
      ...{ requests: 33, client_errors: 1, server_errors: 2 },
      keys: [
        { key_id: null, name: null, prefix: null, requests: 20, client_errors: 0, server_errors: 0, last_used_on: '2026-02-28' },
        { key_id: 'a', name: 'CI', prefix: 'wk_12345', requests: 10, client_errors: 1, server_errors: 2, last_used_on: '2026-03-01' },
        { key_id: 'gone', name: null, prefix: null, requests: 3, client_errors: 0, server_errors: 0, last_used_on: '2026-02-27' },
      ],
      days: [
        { date: '2026-02-27', requests: 8, client_errors: 1, server_errors: 0 },
        { date: '2026-02-28', requests: 20, client_errors: 0, server_errors: 0 },
        { date: '2026-03-01', requests: 5, client_errors: 0, server_errors: 2 },
      ],
    });
  });
});
