import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { nextMillisecond } from '@webkiln/store/testing';
import { apiKeyOf, newOrganization, operator, refusal, service, useIdentity } from '../testing/running-identity.ts';

useIdentity();

const create = (wanted: { name: string; slug?: string; rate_limit?: number }) => call('identity.CreateOrganization', wanted, operator());

test('an organization is found by its id and by its slug', async () => {
  const { organization } = await create({ name: 'Findable', rate_limit: 500 });
  expect(organization).toMatchObject({ name: 'Findable', slug: 'findable', currency: 'USD', rate_limit: 500 });
  for (const idOrSlug of [organization?.id ?? '', 'findable']) {
    expect(await call('identity.GetOrganization', { organization: idOrSlug }, operator())).toEqual({ organization });
  }
});

test.each(['', 'nobody', randomUUID()])('no organization is found by %p', async (organization) => {
  await expect(call('identity.GetOrganization', { organization }, operator())).rejects.toThrow(refusal('organization_not_found'));
});

test('ten organizations created concurrently with one name get ten different slugs', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Same Name' })));
  const slugs = made.map(({ organization }) => organization?.slug);
  expect(new Set(slugs).size).toBe(10);
  expect(slugs).toContain('same-name');
  expect(slugs).toContain('same-name-10');
});

test('a requested slug is assigned or refused, never changed', async () => {
  const wanted = { name: 'Wanted', slug: 'wanted' };
  expect(await create(wanted)).toMatchObject({ organization: { slug: 'wanted' } });
  await expect(create(wanted)).rejects.toThrow(refusal('slug_taken'));
});

test('a repeated request with the same Idempotency-Key creates one organization', async () => {
  const caller = { ...operator(), idempotency: { id: randomUUID(), body: 'body', explicit: true } };
  const first = await call('identity.CreateOrganization', { name: 'Once' }, caller);
  expect(await call('identity.CreateOrganization', { name: 'Once' }, caller)).toEqual(first);
});

test('organizations are listed newest first', async () => {
  const older = await newOrganization();
  await nextMillisecond();
  const newer = await newOrganization();
  const { organizations } = await call('identity.ListOrganizations', {}, operator());
  const ids = organizations.map(({ id }) => id);
  expect(ids.indexOf(newer)).toBeLessThan(ids.indexOf(older));
});

test.each([{ name: '' }, { name: 'x', slug: 'No Slug' }, { name: 'x', rate_limit: 0 }])(
  '%j is refused as a new organization',
  async (wanted) => {
    await expect(create(wanted)).rejects.toThrow(refusal('validation_failed'));
  },
);

test('only operators can create, read and list organizations', async () => {
  const org = await newOrganization();
  for (const caller of [apiKeyOf(org), service('gateway', org)]) {
    await expect(call('identity.CreateOrganization', { name: 'x' }, caller)).rejects.toThrow(refusal('permission_missing'));
    await expect(call('identity.GetOrganization', { organization: org }, caller)).rejects.toThrow(refusal('permission_missing'));
    await expect(call('identity.ListOrganizations', {}, caller)).rejects.toThrow(refusal('permission_missing'));
  }
});
