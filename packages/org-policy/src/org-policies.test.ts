import { randomUUID } from 'node:crypto';
import { closeEvents, connectEvents } from '@webkiln/events';
import { ownStream, removeStream, type TestStream, withNats } from '@webkiln/events/testing';
import { until } from '@webkiln/store/testing';
import { hearOrgPolicies, isSuspended } from './org-policies.ts';

let stream: TestStream;
beforeAll(async () => {
  stream = ownStream();
  await connectEvents(process.env.NATS_URL ?? '', 'sites', stream);
  hearOrgPolicies();
});
afterAll(async () => {
  await closeEvents();
  await removeStream(stream.stream);
});

/** Broadcasts a decision; it may be heard by nobody. */
const decide = (organization_id: string, revision: number, suspended: boolean) =>
  withNats(async (connection) => {
    const data = { organization_id, revision, suspended_at: suspended ? new Date().toISOString() : null, limits: {} };
    connection.publish(`${stream.subjectPrefix}internal.organization.changed`, JSON.stringify({ data }));
    await connection.flush();
  });

test('of what a process was told about a suspension and what it heard, the later decision counts', async () => {
  const org = randomUUID();
  expect(isSuspended(org, { version: 3, suspended: true })).toBe(true);
  await until(async () => {
    await decide(org, 4, true);
    return isSuspended(org, { version: 3, suspended: false });
  });
  expect(isSuspended(org, { version: 5, suspended: false })).toBe(false);
  await decide(org, 6, false);
  await until(() => !isSuspended(org, { version: 5, suspended: true }));
  expect(isSuspended(org, { version: 7, suspended: true })).toBe(true);
});
