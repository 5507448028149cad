import type { AnsweredRequest, RequestBatch } from '@webkiln/contract';
import { RequestLog } from './request-log.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const logs: RequestLog[] = [];
let kept: RequestBatch[];

beforeEach(() => {
  kept = [];
});
afterAll(() => Promise.all(logs.map((log) => log.close())));

const keep = async (batch: RequestBatch) => void kept.push(batch);
function log({ publish = keep, most = 10_000 } = {}): RequestLog {
  const made = new RequestLog({ publish, most });
  logs.push(made);
  return made;
}

const answered = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  ...{ org_id: 'kiln', request_id: 'r', at: noon, kind: 'api_key', credential: 'key', method: 'GET', route: '/projects' },
  ...{ status: 200, duration_ms: 1.5, code: undefined },
  ...more,
});
const idsOf = (batches: readonly RequestBatch[]) => batches.flatMap(({ requests }) => requests.map(({ request_id }) => request_id));

const countsOf = (batches: readonly RequestBatch[]) => batches.flatMap(({ usage }) => usage);

test('what was answered is told together, counted by key, and as one for who is signed in', async () => {
  const own = log();
  for (const status of [200, 404, 429, 503]) own.record(answered({ status }));
  for (const credential of ['ada', 'bob']) own.record(answered({ kind: 'session', credential }));
  await own.flush();
  expect(kept.map(({ type, day, requests }) => [type, day, requests.length])).toEqual([
    ['requests.answered', '2026-03-01', 0],
    ['requests.answered', '2026-03-01', 6],
  ]);
  expect(countsOf(kept)).toEqual([
    { org_id: 'kiln', key_id: 'key', requests: 4, client_errors: 2, server_errors: 1 },
    { org_id: 'kiln', key_id: null, requests: 2, client_errors: 0, server_errors: 0 },
  ]);
});

test('what is beyond a limit is counted in full, and fills no log', async () => {
  const own = log();
  for (let time = 0; time < 5000; time++) own.record(answered({ status: 429 }));
  own.record(answered({ request_id: 'next' }));
  await own.flush();
  expect(idsOf(kept)).toEqual(['r', 'next']);
  expect(countsOf(kept)).toMatchObject([{ requests: 5001, client_errors: 5000 }]);
});

test('a batch is of one day, and of 500 requests or 500 counts at most', async () => {
  const own = log();
  for (let time = 0; time < 1200; time++) own.record(answered({ credential: `key ${time % 600}` }));
  own.record(answered({ at: noon + 12 * 3600_000 }));
  await own.flush();
  expect(kept.map(({ day, requests, usage }) => [day, requests.length, usage.length])).toEqual([
    ['2026-03-01', 500, 0],
    ['2026-03-01', 500, 0],
    ['2026-03-01', 200, 0],
    ['2026-03-01', 0, 500],
    ['2026-03-01', 0, 100],
    ['2026-03-02', 0, 1],
    ['2026-03-02', 1, 0],
  ]);
});

test('a key is counted in one write, however many batches its requests took', async () => {
  const own = log();
  for (let time = 0; time < 2000; time++) own.record(answered());
  await own.flush();
  expect(countsOf(kept)).toMatchObject([{ requests: 2000 }]);
});

test('what could not be kept comes again as the same batch, and nothing before it is lost', async () => {
  let isAway = true;
  const tried: string[] = [];
  const own = log({
    publish: async (batch) => {
      tried.push(batch.id);
      if (isAway) throw new Error('away');
      kept.push(batch);
    },
  });
  own.record(answered({ request_id: 'first' }));
  await own.flush();
  own.record(answered({ request_id: 'second' }));
  isAway = false;
  await own.flush();
  expect(idsOf(kept)).toEqual(['first', 'second']);
  expect(countsOf(kept).reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
  expect(kept[0]?.id).toBe(tried[0]);
  expect(new Set(tried).size).toBe(kept.length);
});

test('only so much waits: what comes beyond is in no log, though it is counted, and there is room again when the rest is kept', async () => {
  let isAway = true;
  const own = log({
    most: 3,
    publish: async (batch) => {
      if (isAway) throw new Error('away');
      kept.push(batch);
    },
  });
  for (const request_id of ['a', 'b', 'c', 'd', 'e']) own.record(answered({ request_id }));
  await own.flush();
  isAway = false;
  await own.flush();
  own.record(answered({ request_id: 'f' }));
  await own.close();
  expect(idsOf(kept)).toEqual(['a', 'b', 'c', 'f']);
  expect(countsOf(kept).reduce((sum, { requests }) => sum + requests, 0)).toBe(6);
});
