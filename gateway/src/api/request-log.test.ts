import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';
import { RequestLog } from './request-log.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const logs: RequestLog[] = [];
let published: RequestBatch[];

beforeEach(() => {
  published = [];
});
afterAll(() => Promise.all(logs.map((log) => log.close())));

const publishToArray = async (batch: RequestBatch) => void published.push(batch);
function log({ publish = publishToArray, maxWaiting = 10_000 } = {}): RequestLog {
  const created = new RequestLog({ publish, maxWaiting });
  logs.push(created);
  return created;
}

const answered = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  ...{ org_id: 'kiln', request_id: 'r', at: noon, kind: 'api_key', credential: 'key', method: 'POST', route: '/projects' },
  ...{ status: 200, duration_ms: 1.5, code: undefined },
  ...more,
});
const idsOf = (batches: readonly RequestBatch[]) => batches.flatMap(({ requests }) => requests.map(({ request_id }) => request_id));

const countsOf = (batches: readonly RequestBatch[]) => batches.flatMap(({ usage }) => usage);

test('responses are published in one batch; usage counts per key, and all sessions together', async () => {
  const requestLog = log();
  for (const status of [200, 404, 429, 503]) requestLog.record(answered({ status }));
  for (const credential of ['ada', 'bob']) requestLog.record(answered({ kind: 'session', credential }));
  await requestLog.flush();
  expect(published.map(({ type, day, requests }) => [type, day, requests.length])).toEqual([
    ['requests.answered', '2026-03-01', 0],
    ['requests.answered', '2026-03-01', 6],
  ]);
  expect(countsOf(published)).toEqual([
    { org_id: 'kiln', key_id: 'key', requests: 4, client_errors: 2, server_errors: 1 },
    { org_id: 'kiln', key_id: null, requests: 2, client_errors: 0, server_errors: 0 },
  ]);
});

test('rate-limited requests are all counted, but only the first of a batch is logged', async () => {
  const requestLog = log();
  for (let index = 0; index < 5000; index++) requestLog.record(answered({ status: 429 }));
  requestLog.record(answered({ request_id: 'next' }));
  await requestLog.flush();
  expect(idsOf(published)).toEqual(['r', 'next']);
  expect(countsOf(published)).toMatchObject([{ requests: 5001, client_errors: 5000 }]);
});

test("of an organization's successful reads a hundred a second are logged, evenly spread; all else is, and all are counted", async () => {
  jest.useFakeTimers();
  try {
    const requestLog = log();
    const second = async (name: string) => {
      for (let index = 0; index < 1000; index++) requestLog.record(answered({ method: 'GET', request_id: `${name} ${index}` }));
      for (const other of [{ method: 'GET', org_id: 'other' }, { method: 'GET', status: 404 }, {}]) requestLog.record(answered(other));
      await requestLog.flush();
      await jest.advanceTimersByTimeAsync(1000);
    };
    for (const name of ['first', 'second']) await second(name);
    const ids = idsOf(published);
    const spread = Array.from({ length: 100 }, (_, index) => `second ${10 * index + 9}`);
    expect(ids.filter((id) => id.startsWith('first'))).toHaveLength(100);
    expect(ids.filter((id) => id.startsWith('second'))).toEqual(spread);
    expect(ids.filter((id) => id === 'r')).toHaveLength(6);
    expect(countsOf(published).reduce((sum, { requests }) => sum + requests, 0)).toBe(2006);
  } finally {
    jest.useRealTimers();
  }
});

test('a batch holds one day, and at most 500 requests or 500 usage counts', async () => {
  const requestLog = log();
  for (let index = 0; index < 1200; index++) requestLog.record(answered({ credential: `key ${index % 600}` }));
  requestLog.record(answered({ at: noon + 12 * 3600_000 }));
  await requestLog.flush();
  expect(published.map(({ day, requests, usage }) => [day, requests.length, usage.length])).toEqual([
    ['2026-03-01', 500, 0],
    ['2026-03-01', 500, 0],
    ['2026-03-01', 200, 0],
    ['2026-03-01', 0, 500],
    ['2026-03-01', 0, 100],
    ['2026-03-02', 0, 1],
    ['2026-03-02', 1, 0],
  ]);
});

test('a key has one usage count per flush, however many batches its requests fill', async () => {
  const requestLog = log();
  for (let index = 0; index < 2000; index++) requestLog.record(answered());
  await requestLog.flush();
  expect(countsOf(published)).toMatchObject([{ requests: 2000 }]);
});

test('a batch that could not be published is retried under the same id, and nothing is lost', async () => {
  let isDown = true;
  const attempted: string[] = [];
  const requestLog = log({
    publish: async (batch) => {
      attempted.push(batch.id);
      if (isDown) throw new Error('down');
      published.push(batch);
    },
  });
  requestLog.record(answered({ request_id: 'first' }));
  await requestLog.flush();
  requestLog.record(answered({ request_id: 'second' }));
  isDown = false;
  await requestLog.flush();
  expect(idsOf(published)).toEqual(['first', 'second']);
  expect(countsOf(published).reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
  expect(published[0]?.id).toBe(attempted[0]);
  expect(new Set(attempted).size).toBe(published.length);
});

test('beyond maxWaiting requests are counted but not logged, until the queue has been published', async () => {
  let isDown = true;
  const requestLog = log({
    maxWaiting: 3,
    publish: async (batch) => {
      if (isDown) throw new Error('down');
      published.push(batch);
    },
  });
  for (const request_id of ['a', 'b', 'c', 'd', 'e']) requestLog.record(answered({ request_id }));
  await requestLog.flush();
  isDown = false;
  await requestLog.flush();
  requestLog.record(answered({ request_id: 'f' }));
  await requestLog.close();
  expect(idsOf(published)).toEqual(['a', 'b', 'c', 'f']);
  expect(countsOf(published).reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
});
