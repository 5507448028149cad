import { randomUUID } from 'node:crypto';
import { requestsOn } from '@webkiln/store/testing';
import { introspectKeys, newKey, newOrganization, useIdentity } from '../testing/running-identity.ts';

useIdentity();

test('fifty of a hundred keys are verified with one indexed query that reads only those keys', async () => {
  const orgs = [await newOrganization(), await newOrganization()];
  const keys = await Promise.all(Array.from({ length: 100 }, (_, index) => newKey(orgs[index % 2] ?? '', { name: randomUUID() })));
  const asked = keys.slice(0, 50);
  const operations = await requestsOn('keys', () => introspectKeys(...asked.map(({ secret }) => secret)));
  expect(operations).toEqual([expect.objectContaining({ op: 'query', planSummary: 'IXSCAN { hash: 1 }', docsExamined: 50 })]);
});
