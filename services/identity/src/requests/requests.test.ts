import { randomUUID } from 'node:crypto';
import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';
import { closeEvents, connectEvents } from '@webkiln/events';
import { answeredRequests, theBus } from '@webkiln/events/streams';
import { ownStream, quiet, removeStream, withNats } from '@webkiln/events/testing';
import { operationsOn, testCaller, until, useTestStore } from '@webkiln/store/testing';
import { onRequestsAnswered } from '../reactions/on-requests-answered.ts';
import { requestPage, type WantedRequests } from './request-store.ts';
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
const published = (told: RequestBatch): Promise<boolean> =>
  answeredRequests(theBus(), options.stream)
    .publish(told)
    .then(
      () => true,
      () => false,
    );
const found = async (org: string, wanted: WantedRequests = {}) => {
  const { requests, total } = await requestPage(testCaller(org), wanted, page);
  return { ids: requests.map(({ request_id }) => request_id), total };
};

test('a batch that is delivered twice is in the log and in the usage once, each organization seeing its own', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const told = batch([answered(one, { request_id: 'a' }), answered(other), answered(one, { request_id: 'b', at: noon + 1 })]);
  await published(told);
  // Under no id that the stream could know it by.
  await withNats((connection) => connection.jetstream().publish(`${options.subjectPrefix}requests.answered`, JSON.stringify(told)));
  await until(async () => (await found(one)).total > 0);
  await quiet(options, consumer);
  expect(await found(one)).toEqual({ ids: ['b', 'a'], total: 2 });
  expect((await found(other)).total).toBe(1);
  expect((await found(randomUUID())).total).toBe(0);
  const usage = await usageSince(testCaller(one), day);
  expect(usage).toMatchObject([{ key_id: 'key', day: new Date(day), requests: 2 }]);
  expect(await usageSince(testCaller(one), new Date(noon + 24 * 3600_000).toISOString().slice(0, 10))).toEqual([]);
});

test('whatever is wanted of the log is read from an index in its order, and nothing else is looked at', async () => {
  const org = randomUUID();
  const requests = Array.from({ length: 60 }, (_, index) =>
    answered(org, {
      at: noon + index,
      request_id: `r${index % 3}`,
      status: index % 2 === 0 ? 200 : 404,
      ...(index % 5 === 0 && { kind: 'session', credential: 'ada' }),
    }),
  );
  await published(batch(requests));
  await until(async () => (await found(org)).total === 60);
  const cases: readonly (readonly [wanted: WantedRequests, total: number])[] = [
    [{}, 60],
    [{ request_id: 'r1' }, 20],
    [{ credential_id: 'ada' }, 12],
    [{ credential_id: 'ada', status_class: '4xx' }, 6],
    [{ kind: 'api_key' }, 48],
    [{ status_class: '4xx' }, 30],
    [{ from: new Date(noon + 10), to: new Date(noon + 20) }, 10],
  ];
  for (const [wanted, total] of cases) {
    const operations = await operationsOn('requests', async () => {
      const { requests: shown } = await requestPage(testCaller(org), wanted, { limit: 5, offset: 0 });
      const times = shown.map(({ at }) => at.getTime());
      expect(times).toEqual(times.toSorted((first, second) => second - first));
      expect(shown).toHaveLength(5);
    });
    expect((await found(org, wanted)).total).toBe(total);
    const [find] = operations.filter(({ op }) => op === 'query');
    expect(find).toMatchObject({ planSummary: expect.stringContaining('IXSCAN'), nreturned: 5 });
    expect(find).not.toHaveProperty('hasSortStage');
    expect(find?.docsExamined).toBeLessThanOrEqual(5);
  }
});
