import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { until } from '@webkiln/store/testing';
import { DailySalts } from './daily-salts.ts';
import type { VisitorIdentifier } from './visitor-identifier.ts';

const { stream: bucket, subjectPrefix } = ownStream();
const midnight = Date.UTC(2026, 10, 21);
const minuteMs = 60_000;

let now = midnight + 12 * 60 * minuteMs;
const replica = () => new DailySalts({ bus: theBus(), bucket, now: () => now });
/** The id of a fixed visitor: it differs if the salt differs. */
const visitorId = (visitors: VisitorIdentifier | undefined) => visitors?.identify('shop', '192.0.2.1', 'agent').id;
/** That visitor's id today, after a completed refresh. */
const visitorToday = async (salts: DailySalts) => {
  await until(() => salts.getIdentifier(now) !== undefined);
  await salts.refresh();
  return visitorId(salts.getIdentifier(now));
};

/** The salts in the bucket by day, in hexadecimal. */
const readBucket = () =>
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

test('replicas that start at once share one salt of 32 random bytes, and so does one that starts later', async () => {
  const visitors = await Promise.all(Array.from({ length: 8 }, replica).map(visitorToday));
  expect(new Set(visitors).size).toBe(1);
  expect(visitors[0]).toMatch(/^[\w-]{16}$/);
  expect(await visitorToday(replica())).toBe(visitors[0]);
  expect(await readBucket()).toEqual({ '2026-11-21': expect.stringMatching(/^[\da-f]{64}$/) });
});

test('tomorrow’s salt is created in advance, once for all replicas, and used from midnight on without a call', async () => {
  now = midnight + 23.5 * 60 * minuteMs;
  const replicas = [replica(), replica()];
  const [before] = await Promise.all(replicas.map(visitorToday));
  await Promise.all(replicas.map((salts) => salts.refresh()));
  expect(Object.keys(await readBucket()).sort()).toEqual(['2026-11-21', '2026-11-22']);
  now = midnight + 24 * 60 * minuteMs;
  const [first, second] = replicas.map((salts) => visitorId(salts.getIdentifier(now)));
  expect(first).toBeDefined();
  expect(second).toBe(first);
  expect(first).not.toBe(before);
});

test('yesterday’s salt disappears soon after midnight: from the bucket, its stream and every replica', async () => {
  now = midnight + 23.5 * 60 * minuteMs;
  const salts = replica();
  const before = await visitorToday(salts);
  const { '2026-11-21': yesterdays } = await readBucket();
  expect(yesterdays).toHaveLength(64);
  now = midnight + (24 * 60 + 11) * minuteMs;
  await salts.refresh();
  expect(Object.keys(await readBucket())).toEqual(['2026-11-22']);
  expect(visitorId(salts.getIdentifier(now))).not.toBe(before);
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

test('a NATS that lost its disk gets the salt in use', async () => {
  now = midnight + 12 * 60 * minuteMs;
  const salts = replica();
  const before = await visitorToday(salts);
  await salts.refresh();
  await removeStream(`KV_${bucket}`);
  await salts.refresh();
  expect(visitorId(salts.getIdentifier(now))).toBe(before);
  expect(await visitorToday(replica())).toBe(before);
});
