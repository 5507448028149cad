import { AppError } from '@webkiln/contract';
import { database } from '../connection.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { repeatingClient } from '../testing/repeating-client.ts';
import { idempotencyGuard } from './idempotency.ts';

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
