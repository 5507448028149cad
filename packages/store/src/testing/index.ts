import { randomUUID } from 'node:crypto';
import type { IncomingCaller } from '@webkiln/messages';
import { connectStore, database, disconnectStore } from '../connection.ts';
import { createIndexes } from '../model/indexes.ts';
import { relayComment } from '../write/outbox.ts';

export { cursorAt } from '../read/cursor.ts';
export { textParts } from '../read/search.ts';

/** A slow machine may take long, so only failures wait until this timeout. */
const timeoutMs = 120_000;
export const patience = {
  waitQueueTimeoutMS: timeoutMs,
  serverSelectionTimeoutMS: timeoutMs,
  connectTimeoutMS: timeoutMs,
  socketTimeoutMS: timeoutMs,
};

/** Gives a test file its own database on the real MongoDB (MONGODB_URL), with all indexes; it is dropped afterwards. */
export function useTestStore(): void {
  beforeAll(async () => {
    await connectStore(process.env.MONGODB_URL ?? '', `test_${randomUUID()}`, patience);
    await createIndexes();
  });
  afterAll(async () => {
    await database().dropDatabase();
    await disconnectStore();
  });
}

/** The URL of a MongoDB by way of a local port that forwards to it. */
export function mongodbUrlBy(port: number): string {
  const url = new URL(process.env.MONGODB_URL ?? '');
  url.host = `127.0.0.1:${port}`;
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return url.href;
}

/** A caller with an API key of the organization, a deadline that no machine exceeds, and the given overrides. */
export const testCaller = (org_id: string, more: Partial<IncomingCaller> = {}): IncomingCaller => ({
  principal: { kind: 'api_key', org_id, credential_id: `key of ${org_id}`, permissions: ['read', 'write'] },
  requestId: randomUUID(),
  deadlineAt: Date.now() + 120_000,
  signal: new AbortController().signal,
  ...more,
});

/** The operations on a collection during `work`, from the server's profiler. */
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

/**
 * The same without the commands of the relay, which runs in the background: after each write with an event, and every
 * second.
 */
export async function requestsOn(collection: string, work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  return (await operationsOn(collection, work)).filter((operation) => !isRelays(operation));
}

/** A getMore carries the comment of the command that opened its cursor. */
const isRelays = ({ command, originatingCommand }: Record<string, unknown>) =>
  [command, originatingCommand].some((sent) => (sent as { comment?: unknown } | undefined)?.comment === relayComment);

/** Polls until the condition holds. `timeoutMs` only bounds how long a failure takes. */
export async function until(holds: () => Promise<boolean> | boolean, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`the condition did not hold within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves in a later millisecond, so that records made afterwards have a later time. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until(() => Date.now() > now);
}

const dayMs = 24 * 3600_000;
const minuteMs = 60_000;

/** The timeout of a hook or test that waits for the next day. */
export const nextDayTimeoutMs = 10 * minuteMs;

/**
 * For tests that depend on the current day (UTC): makes sure that it began at least a minute ago and outlasts the test.
 * Near midnight it waits.
 */
export async function withinOneDay(takesMs = 2 * minuteMs): Promise<void> {
  const left = dayMs - ((Date.now() - minuteMs) % dayMs);
  if (left < takesMs + minuteMs) await new Promise((resolve) => setTimeout(resolve, left));
}
