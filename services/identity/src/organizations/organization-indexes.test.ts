import { randomUUID } from 'node:crypto';
import { unscoped } from '@webkiln/store';
import { requestsOn } from '@webkiln/store/testing';
import { newOrganization, useIdentity } from '../testing/running-identity.ts';
import { organizationsToErase } from './erasure-store.ts';
import { logoBySha256, OrganizationModel } from './organization-store.ts';

useIdentity();

beforeAll(async () => {
  for (let count = 0; count < 5; count++) await newOrganization();
});

test.each([
  ['a logo', () => logoBySha256(randomUUID())],
  ['what is to be erased', () => organizationsToErase(new Date(), 100)],
])('%s is looked up by an index: no organization without it is read', async (_what, lookUp) => {
  expect(await unscoped(OrganizationModel).count({})).toBeGreaterThanOrEqual(5);
  const operations = await requestsOn('organizations', lookUp);
  expect(operations).toEqual([expect.objectContaining({ planSummary: expect.stringMatching(/^IXSCAN/), docsExamined: 0 })]);
});
