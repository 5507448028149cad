import { randomUUID } from 'node:crypto';
import type { IncomingCaller } from '@webkiln/rpc';
import { connectStore, database, disconnectStore } from './connection.ts';
import { ensureIndexes } from './indexes.ts';

/** Gives a test file a database of its own on the real MongoDB (MONGODB_URL), with all indexes; it is dropped afterwards. */
export function useTestStore(): void {
  beforeAll(async () => {
    await connectStore(process.env.MONGODB_URL ?? '', `test_${randomUUID()}`);
    await ensureIndexes();
  });
  afterAll(async () => {
    await database().dropDatabase();
    await disconnectStore();
  });
}

/** A caller with an API key of the organization, who waits for longer than any machine needs, and whatever else the test is about. */
export const testCaller = (org_id: string, more: Partial<IncomingCaller> = {}): IncomingCaller => ({
  principal: { kind: 'api_key', org_id, credential_id: `key of ${org_id}`, permissions: ['read', 'write'] },
  requestId: randomUUID(),
  deadlineAt: Date.now() + 120_000,
  signal: new AbortController().signal,
  ...more,
});

/** What the server was asked to do on a collection meanwhile, as its profiler saw it. */
export async function operationsOn(collection: string, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  await database().command({ profile: 2 });
  try {
    await work();
  } finally {
    await database().command({ profile: 0 });
  }
  const seen = database().collection('system.profile');
  const operations = await seen.find({ ns: `${database().databaseName}.${collection}` }).toArray();
  await seen.drop();
  return operations;
}

/** The same without what the relay asks for: it looks into its own index each second, whoever works meanwhile. */
export async function requestsOn(collection: string, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  return (await operationsOn(collection, work)).filter((operation) => !isRelays(operation));
}

/** The relay reads by the index of outboxes, and takes away what it has published. */
const isRelays = ({ planSummary, command }: Record<string, unknown>) =>
  String(planSummary).includes('outbox') || JSON.stringify(command).includes('"$pull":{"outbox"');

/** Asks until the answer is yes; for states that come by themselves. Throws after `withinMs`, which only bounds how long a failure takes. */
export async function until(holds: () => Promise<boolean> | boolean, withinMs = 120_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`what was waited for did not come within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const dayMs = 24 * 3600_000;
const minuteMs = 60_000;

/**
 * Gives a test that speaks of today a day (of UTC) that has begun a minute ago at least, and goes on for as long as the test may take: where
 * midnight is near it is waited for.
 */
export async function withinOneDay(takesMs = 2 * minuteMs): Promise<void> {
  const left = dayMs - ((Date.now() - minuteMs) % dayMs);
  if (left < takesMs + minuteMs) await new Promise((resolve) => setTimeout(resolve, left));
}
