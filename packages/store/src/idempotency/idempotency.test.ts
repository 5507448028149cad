import { AppError } from '@webkiln/contract';
import { database } from '../connection.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { repeatingClient } from '../testing/repeating-client.ts';
import { idempotencyGuard, newId, seedIds } from './idempotency.ts';

useTestStore();

test('a call without an idempotency is passed on unchanged', async () => {
  const reply = Buffer.from('reply');
  const operations = await operationsOn('repeatable_requests', async () => {
    expect(await idempotencyGuard('projects.CreateProject', testCaller('org'), async () => reply)).toBe(reply);
  });
  expect(operations).toEqual([]);
});

test('rows expire after 24 h with a key, 10 min without', async () => {
  const rows = database().collection<{ _id: string; expires_at: Date; org_id: string }>('repeatable_requests');
  expect(await rows.indexes()).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  for (const [explicit, minutes] of [
    [true, 24 * 60],
    [false, 10],
  ] as const) {
    const { send, id } = repeatingClient(explicit);
    const before = Date.now();
    await send(new AppError('unavailable')).catch(() => undefined);
    const row = await rows.findOne({ _id: id });
    const madeAt = (row?.expires_at.getTime() ?? 0) - minutes * 60_000;
    expect(madeAt).toBeGreaterThanOrEqual(before);
    expect(madeAt).toBeLessThanOrEqual(Date.now());
  }
});

const idempotency = { id: 'credential, route and key', body: 'body', explicit: true };
const uuid = (version: number) => new RegExp(`^[\\da-f]{8}-[\\da-f]{4}-${version}[\\da-f]{3}-[89ab][\\da-f]{3}-[\\da-f]{12}$`);

test('every attempt of a request derives the same ids, one per label, as UUIDs of version 8', () => {
  const [project, user] = [newId({ idempotency }), newId({ idempotency }, 'user')];
  expect([newId({ idempotency }), newId({ idempotency }, 'user')]).toEqual([project, user]);
  expect(project).not.toBe(user);
  expect(project).toMatch(uuid(8));
});

test('another request, or the same one as a new request, derives other ids', () => {
  const again = { ...idempotency };
  seedIds(again, 'a new beginning');
  const ids = [newId({ idempotency }), newId({ idempotency: again }), newId({ idempotency: { ...idempotency, id: 'another key' } })];
  expect(new Set(ids).size).toBe(3);
});

test('without an idempotency an id is random', () => {
  expect(newId({})).not.toBe(newId({}));
  expect(newId(undefined)).toMatch(uuid(4));
});
