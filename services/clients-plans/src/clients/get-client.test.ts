import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { refusal } from '../testing/expectations.ts';
import { newClient } from '../testing/records.ts';
import { newOrganization, useClientsPlans } from '../testing/running-service.ts';

useClientsPlans();

test('a client is read with its etag', async () => {
  const org = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
  const { client, etag } = await call('clients.GetClient', { client_id }, testCaller(org));
  expect(client).toMatchObject({ id: client_id, email: 'ada@example.com', name: 'Ada', status: 'invited' });
  expect(etag).toBe('"r1"');
});

test('another organization’s id, an unknown id and a malformed id all give client_not_found', async () => {
  const foreign = await newClient(newOrganization(), { email: 'ada@example.com' });
  for (const client_id of [foreign, newOrganization(), 'nonsense', '', '{"$ne":1}']) {
    await expect(call('clients.GetClient', { client_id }, testCaller(newOrganization()))).rejects.toEqual(refusal('client_not_found'));
  }
});

test('concurrent reads by two organizations return only their own clients', async () => {
  const [one, other] = [newOrganization(), newOrganization()];
  const client_id = await newClient(one, { email: 'ada@example.com' });
  const outcomes = await Promise.allSettled([one, other].map((org) => call('clients.GetClient', { client_id }, testCaller(org))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});
