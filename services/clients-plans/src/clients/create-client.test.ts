import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { loseOutcome } from '../testing/died-attempt.ts';
import { present, refusal } from '../testing/expectations.ts';
import { newPlan } from '../testing/records.ts';
import { newOrganization, repeatable, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const stream = useClientsPlans();

const eventsOf = async (org_id: string) => (await published(stream, 'client.created')).filter((event) => event.org_id === org_id);
const clientsOf = (org_id: string) => mongoose.connection.collection('clients').countDocuments({ org_id });

test('a new client is invited, owes nothing, and has the fields that were sent', async () => {
  const org = newOrganization();
  const plan_id = await newPlan(org);
  const { client, etag } = await call(
    'clients.CreateClient',
    { email: 'Ada@Example.com', name: 'Ada', company: 'Engines', plan_id },
    testCaller(org),
  );
  expect(client).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email: 'Ada@Example.com',
    name: 'Ada',
    company: 'Engines',
    status: 'invited',
    plan_id,
    payment_status: 'none',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  expect(etag).toBe('"r1"');
});

test('only the email is required; fields that are not sent are absent', async () => {
  const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
  expect(client).not.toHaveProperty('name');
  expect(client).not.toHaveProperty('company');
  expect(client).not.toHaveProperty('plan_id');
});

test('exactly one client.created per client is on the stream, with the public record', async () => {
  const org = newOrganization();
  const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org));
  expect(await eventsOf(org)).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'client.created',
      timestamp: expect.any(String),
      org_id: org,
      api_version: 'v1',
      data: { client: { ...client, name: null, company: null, plan_id: null } },
    },
  ]);
});

test('an email is unique per organization, case-insensitively, even under twenty concurrent requests', async () => {
  const org = newOrganization();
  const spellings = Array.from({ length: 20 }, (_, bit) =>
    [...'ada.lovelace@example.com'].map((letter, at) => ((bit >> (at % 5)) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
  const outcomes = await Promise.allSettled(spellings.map((email) => call('clients.CreateClient', { email }, testCaller(org))));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason);
  expect(refused).toEqual(Array(19).fill(refusal('email_taken')));
  expect(await clientsOf(org)).toBe(1);
  expect(await eventsOf(org)).toHaveLength(1);
});

test('another organization may have a client with the same email', async () => {
  await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
  const { client } = await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(newOrganization()));
  expect(present(client).email).toBe('ada@example.com');
});

test("an unknown plan and another organization's plan are refused alike, and nothing is stored or published", async () => {
  const org = newOrganization();
  const foreign = await newPlan(newOrganization());
  for (const plan_id of [foreign, newOrganization(), 'nonsense']) {
    const creating = call('clients.CreateClient', { email: 'ada@example.com', plan_id }, testCaller(org));
    await expect(creating).rejects.toEqual(refusal('plan_unknown'));
  }
  expect(await clientsOf(org)).toBe(0);
  expect(await eventsOf(org)).toEqual([]);
});

test('a retry after a crash returns the client of the first attempt instead of email_taken', async () => {
  const org = newOrganization();
  const key = newOrganization();
  const create = () => call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, repeatable(key)));
  const first = await create();
  await loseOutcome(key);
  expect(await create()).toEqual(first);
  expect(await clientsOf(org)).toBe(1);
  expect(await eventsOf(org)).toHaveLength(1);
});

test('a second request for the same email fails with email_taken, even with the same body', async () => {
  const org = newOrganization();
  const implicit = repeatable(newOrganization(), false);
  await call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, implicit));
  const again = call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(org, implicit));
  await expect(again).rejects.toEqual(refusal('email_taken'));
});

test('a caller without an organization cannot create clients', async () => {
  await expect(call('clients.CreateClient', { email: 'ada@example.com' }, testCaller(''))).rejects.toEqual(refusal('internal'));
});
