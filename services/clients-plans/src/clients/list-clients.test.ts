import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newClient } from '../testing/records.ts';
import { newOrganization, useClientsPlans } from '../testing/running-service.ts';
import { clientPage } from './client-store.ts';

useClientsPlans();

/** Inserts clients with known creation times: `minutes` after midnight. */
async function makeClients(org_id: string, minutes: readonly number[]): Promise<void> {
  const clients = minutes.map((minute, index) => ({
    _id: `${org_id} ${String(index).padStart(4, '0')}`,
    org_id,
    email: `c${index}@example.com`,
    email_folded: `c${index}@example.com`,
    name: null,
    status: 'invited',
    payment_status: 'none',
    created_at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    revision: 1,
  }));
  await mongoose.connection.collection<{ _id: string }>('clients').insertMany(clients);
}

const emails = async (org: string, page: { limit?: number; offset?: number } = {}) => {
  const { clients, total } = await call('clients.ListClients', page, testCaller(org));
  return { emails: clients.map(({ email }) => email), total };
};

test('the list is newest first, then by id', async () => {
  const org = newOrganization();
  await makeClients(org, [1, 3, 2, 3]);
  expect(await emails(org)).toEqual({
    emails: ['c1@example.com', 'c3@example.com', 'c2@example.com', 'c0@example.com'],
    total: 4,
  });
});

test('limit and offset select a page, and total counts all', async () => {
  const org = newOrganization();
  await makeClients(org, [5, 4, 3, 2, 1]);
  expect(await emails(org, { limit: 2, offset: 1 })).toEqual({ emails: ['c1@example.com', 'c2@example.com'], total: 5 });
  expect(await emails(org, { limit: 2, offset: 4 })).toEqual({ emails: ['c4@example.com'], total: 5 });
  expect(await emails(org, { limit: 2, offset: 9 })).toEqual({ emails: [], total: 5 });
});

test('without a limit the list contains up to a thousand clients', async () => {
  const org = newOrganization();
  await makeClients(
    org,
    Array.from({ length: 1003 }, (_, index) => index),
  );
  const { clients, total } = await call('clients.ListClients', {}, testCaller(org));
  expect(clients).toHaveLength(1000);
  expect(total).toBe(1003);
});

test('an organization sees only its own clients', async () => {
  const [own, foreign] = [newOrganization(), newOrganization()];
  await newClient(own, { email: 'own@example.com' });
  await newClient(foreign, { email: 'foreign@example.com' });
  expect(await emails(own)).toEqual({ emails: ['own@example.com'], total: 1 });
  expect(await emails(newOrganization())).toEqual({ emails: [], total: 0 });
});

test('a page and its total are read from indexes in order, and only one client beyond the page is examined', async () => {
  const org = newOrganization();
  await makeClients(
    org,
    Array.from({ length: 300 }, (_, index) => index),
  );
  const operations = await requestsOn('clients', () => clientPage({ org_id: org }, { limit: 50, offset: 0 }));
  const found = operations.find(({ op }) => op === 'query');
  expect(found).toMatchObject({ planSummary: 'IXSCAN { org_id: 1, created_at: -1, _id: 1 }', docsExamined: 51, nreturned: 51 });
  expect(found).not.toHaveProperty('hasSortStage');
  const counted = operations.find(({ op }) => op === 'command');
  expect(counted).toMatchObject({ docsExamined: 0, keysExamined: 300 });
});
