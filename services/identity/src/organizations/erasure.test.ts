import { callerFor, dataServiceNames, operatorPrincipal } from '@webkiln/messages';
import { assertNotDeleted, nextStep, orderErasure, takeBackErasure, withReport } from './erasure.ts';

const caller = callerFor(operatorPrincipal('org'), { timeoutMs: 1_000 });
const now = new Date('2026-01-01T00:00:00Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const kiln = { _id: 'org', name: 'Kiln', suspended_at: null, erase_at: null, erasure_round: null, erased_at: null };
const allReported = (deleted: number) => Object.fromEntries(dataServiceNames.map((name) => [name, deleted]));
const quietMs = 1_000;
const inRound = (
  number: number,
  deleted: Record<string, number>,
  { begun_at = now, closed_at }: { begun_at?: Date; closed_at?: Date } = {},
) => ({
  ...kiln,
  erase_at: now,
  erasure_round: { number, begun_at, closed_at, deleted },
});

test('a deletion suspends the organization; a repeat neither delays nor repeats it, and an earlier time replaces it', () => {
  const ordered = orderErasure(caller, kiln, later(1_000), now);
  expect(ordered?.state).toEqual({ suspended_at: now, erase_at: later(1_000) });
  const deleted = { ...kiln, ...ordered?.state };
  expect(orderErasure(caller, deleted, later(2_000), later(500))).toBeNull();
  expect(orderErasure(caller, deleted, later(500), later(500))?.state).toEqual({ suspended_at: now, erase_at: later(500) });
});

test('a deletion is taken back until the erasure has begun, and a deleted organization cannot be resumed', () => {
  const deleted = { ...kiln, suspended_at: now, erase_at: later(1_000) };
  expect(takeBackErasure(caller, deleted)?.state).toEqual({ suspended_at: null, erase_at: null });
  expect(takeBackErasure(caller, kiln)).toBeNull();
  for (const begun of [inRound(1, {}), { ...kiln, erased_at: now }]) {
    expect(() => takeBackErasure(caller, begun)).toThrow('cannot be taken back');
    expect(() => assertNotDeleted(begun)).toThrow('it is erased');
    expect(orderErasure(caller, begun, now, now)).toBeNull();
  }
  expect(() => assertNotDeleted(deleted)).toThrow('restore it instead');
  expect(() => assertNotDeleted(kiln)).not.toThrow();
});

test('rounds follow until one that began a quiet time after the first with all reports finds nothing', () => {
  const next = (organization: Parameters<typeof nextStep>[0], at = now) => nextStep(organization, at, quietMs)?.state;
  expect(next({ ...kiln, erase_at: now })?.erasure_round).toEqual({ number: 1, begun_at: now, deleted: {} });
  expect(next(inRound(1, {}), later(1_000))).toBeUndefined();
  const second = { number: 2, begun_at: later(5), closed_at: later(5), deleted: {} };
  expect(next(inRound(1, allReported(0)), later(5))?.erasure_round).toEqual(second);
  const soon = { begun_at: later(5), closed_at: later(5) };
  expect(next(inRound(2, { ...allReported(0), sites: 1 }, soon), later(6))?.erasure_round).toEqual({
    ...second,
    number: 3,
    begun_at: later(6),
  });
  expect(next(inRound(2, allReported(0), soon), later(5 + quietMs - 1))).toBeUndefined();
  expect(next(inRound(2, allReported(0), soon), later(5 + quietMs))?.erasure_round).toMatchObject({ number: 3, closed_at: later(5) });
  const quiet = { begun_at: later(5 + quietMs), closed_at: later(5) };
  expect(next(inRound(3, { ...allReported(0), sites: 1 }, quiet), later(9_000))?.erasure_round?.number).toBe(4);
  expect(nextStep(inRound(3, allReported(0), quiet), later(9_000), quietMs)).toMatchObject({
    state: { erased_at: later(9_000), erase_at: null, name: 'erased', slug: 'org' },
    events: [],
  });
});

test('a round without all reports is repeated after an hour, and is not the one with which services refuse new records', () => {
  const repeated = nextStep(inRound(1, { sites: 0 }), later(3600_000), quietMs)?.state.erasure_round;
  expect(repeated).toEqual({ number: 2, begun_at: later(3600_000), deleted: {} });
});

test('a report counts once, and only in its round', () => {
  const first = withReport(inRound(2, {}), 2, 'sites', 5);
  expect(first?.erasure_round?.deleted).toEqual({ sites: 5 });
  expect(withReport({ ...kiln, ...first }, 2, 'sites', 0)).toBeNull();
  expect(withReport(inRound(2, {}), 1, 'sites', 5)).toBeNull();
  expect(withReport(kiln, 1, 'sites', 5)).toBeNull();
});
