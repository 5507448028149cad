import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { until } from '@webkiln/store/testing';
import { DailySalts } from './daily-salts.ts';
import type { DailyVisitors } from './daily-visitors.ts';

const { stream: bucket, subjectPrefix } = ownStream();
const midnight = Date.UTC(2026, 10, 21);
const minuteMs = 60_000;

let now = midnight + 12 * 60 * minuteMs;
const replica = () => new DailySalts({ bus: theBus(), bucket, now: () => now });
/** Who one and the same visitor is: tells salts apart. */
const visitor = (visitors: DailyVisitors | undefined) => visitors?.of('shop', '192.0.2.1', 'agent').id;
/** That visitor today, once nothing is under way for the salt any more. */
const today = async (salts: DailySalts) => {
  await until(() => salts.visitorsAt(now) !== undefined);
  await salts.tend();
  return visitor(salts.visitorsAt(now));
};

/** What the bucket has, by day, as hexadecimal digits. */
const kept = () =>
  withNats(async (connection) => {
    const salts: Record<string, string> = {};
    const { streams } = await connection.jetstreamManager();
    const { state } = await streams.info(`KV_${bucket}`, { subjects_filter: '>' });
    for (const subject of Object.keys(state.subjects ?? {})) {
      const { data } = await streams.getMessage(`KV_${bucket}`, { last_by_subj: subject });
      salts[subject.replace(/^.*\./, '')] = Buffer.from(data).toString('hex');
    }
    return salts;
  });

beforeEach(() => connectEvents(process.env.NATS_URL ?? '', 'test', { subjectPrefix }));
afterEach(async () => {
  await closeEvents();
  await removeStream(`KV_${bucket}`);
});

test('replicas that start at once have one salt of the day, 32 random bytes, and so has one that starts later', async () => {
  const visitors = await Promise.all(Array.from({ length: 8 }, replica).map(today));
  expect(new Set(visitors).size).toBe(1);
  expect(visitors[0]).toMatch(/^[\w-]{16}$/);
  expect(await today(replica())).toBe(visitors[0]);
  expect(await kept()).toEqual({ '2026-11-21': expect.stringMatching(/^[\da-f]{64}$/) });
});

test('tomorrow’s salt is made ahead, by one for all, and is in use from midnight on without a question', async () => {
  now = midnight + 23.5 * 60 * minuteMs;
  const replicas = [replica(), replica()];
  const [before] = await Promise.all(replicas.map(today));
  await Promise.all(replicas.map((salts) => salts.tend()));
  expect(Object.keys(await kept()).sort()).toEqual(['2026-11-21', '2026-11-22']);
  now = midnight + 24 * 60 * minuteMs;
  const [first, second] = replicas.map((salts) => visitor(salts.visitorsAt(now)));
  expect(first).toBeDefined();
  expect(second).toBe(first);
  expect(first).not.toBe(before);
});

test('yesterday’s salt is gone soon after midnight: from the bucket, its stream and every replica', async () => {
  now = midnight + 23.5 * 60 * minuteMs;
  const salts = replica();
  const before = await today(salts);
  const { '2026-11-21': yesterdays } = await kept();
  expect(yesterdays).toHaveLength(64);
  now = midnight + (24 * 60 + 11) * minuteMs;
  await salts.tend();
  expect(Object.keys(await kept())).toEqual(['2026-11-22']);
  expect(visitor(salts.visitorsAt(now))).not.toBe(before);
  await withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    const { config, state } = await streams.info(`KV_${bucket}`);
    expect(state.messages).toBe(1);
    expect([config.storage, config.max_age]).toEqual(['file', 26 * 3600e9]);
    for (let seq = 1; seq <= state.last_seq; seq++) {
      const message = await streams.getMessage(`KV_${bucket}`, { seq }).catch(() => undefined);
      expect(message && Buffer.from(message.data).toString('hex')).not.toBe(yesterdays);
    }
  });
});

test('a NATS that came back without its disk gets the salt that is in use', async () => {
  now = midnight + 12 * 60 * minuteMs;
  const salts = replica();
  const before = await today(salts);
  await salts.tend();
  await removeStream(`KV_${bucket}`);
  await salts.tend();
  expect(visitor(salts.visitorsAt(now))).toBe(before);
  expect(await today(replica())).toBe(before);
});
