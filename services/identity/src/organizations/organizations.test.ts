import { randomUUID } from 'node:crypto';
import { validate } from '@webkiln/contract';
import { callerFor, dataServiceNames, operatorPrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { unscoped } from '@webkiln/store';
import { nextMillisecond, requestsOn } from '@webkiln/store/testing';
import { apiKeyOf, newOrganization, operator, refusal, service, useIdentity } from '../testing/running-identity.ts';
import { assertNotDeleted, nextStep, orderErasure, takeBackErasure, withReport } from './erasure.ts';
import { organizationsToErase } from './erasure-store.ts';
import { NewOrganization, openOrganization, slugsOf, toOrganization } from './organization.ts';
import { logoBySha256, OrganizationModel } from './organization-store.ts';

useIdentity();

describe('indexes', () => {
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
});

describe('the rules of organizations', () => {
  const invalid = expect.objectContaining({ code: 'validation_failed' });
  const draft = { _id: 'o1', name: 'Kiln & Co', slug: 'kiln-co', rate_limit: null };

  test('a new organization uses USD and has no quota of its own', () => {
    expect(toOrganization(openOrganization(draft, new Date('2026-01-01T00:00:00Z')))).toEqual({
      id: 'o1',
      name: 'Kiln & Co',
      slug: 'kiln-co',
      currency: 'USD',
      rate_limit: null,
      created_at: '2026-01-01T00:00:00.000Z',
      suspended_at: null,
      erase_at: null,
      erased_at: null,
    });
  });

  test.each([
    ['Kiln & Co', 'kiln-co'],
    ['  Żółć, Überwald!  ', 'zo-c-uberwald'],
    ['日本', 'organization'],
    ['---', 'organization'],
    ['a'.repeat(200), 'a'.repeat(32)],
    [`${'a'.repeat(31)} b`, 'a'.repeat(31)],
  ])('the slug of %p is %p', (name, slug) => {
    expect(slugsOf(name)[0]).toBe(slug);
  });

  test('every slug derived from a name is a valid slug, and none occurs twice', () => {
    for (const name of ['Kiln & Co', 'a'.repeat(200), `${'b'.repeat(29)} cc dd`]) {
      const slugs = slugsOf(name);
      expect(new Set(slugs).size).toBe(slugs.length);
      for (const slug of slugs) expect(validate(NewOrganization, { name, slug })).toMatchObject({ slug });
    }
  });

  test.each(['', 'Kiln', '-kiln', 'kiln-', 'kiln--co', 'kiln_co', 'kiln.co', 'a'.repeat(33), 'e3b0c442-98fc-4c14-9afb-f4c8996fb924'])(
    '%p is no slug',
    (slug) => {
      expect(() => validate(NewOrganization, { name: 'Kiln', slug })).toThrow(invalid);
    },
  );

  test.each([0, -1, 1.5, 1_000_001])('a quota of %d requests is refused', (rate_limit) => {
    expect(() => validate(NewOrganization, { name: 'Kiln', rate_limit })).toThrow(invalid);
  });
});

describe('use cases', () => {
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
});

describe('erasure', () => {
  const caller = callerFor(operatorPrincipal('org'), { timeoutMs: 1_000 });
  const now = new Date('2026-01-01T00:00:00Z');
  const later = (ms: number) => new Date(now.getTime() + ms);
  const kiln = { _id: 'org', name: 'Kiln', suspended_at: null, erase_at: null, erasure_round: null, erased_at: null };
  const allReported = (deleted: number) => Object.fromEntries(dataServiceNames.map((name) => [name, deleted]));
  const quietMs = 1_000;
  const inRound = (
    number: number,
    deleted: Record<string, number>,
    { begun_at = now, closed_at }: { begun_at?: Date; closed_at?: Date } = {},
  ) => ({
    ...kiln,
    erase_at: now,
    erasure_round: { number, begun_at, closed_at, deleted },
  });

  test('a deletion suspends the organization; a repeat neither delays nor repeats it, and an earlier time replaces it', () => {
    const ordered = orderErasure(caller, kiln, later(1_000), now);
    expect(ordered?.state).toEqual({ suspended_at: now, erase_at: later(1_000) });
    const deleted = { ...kiln, ...ordered?.state };
    expect(orderErasure(caller, deleted, later(2_000), later(500))).toBeNull();
    expect(orderErasure(caller, deleted, later(500), later(500))?.state).toEqual({ suspended_at: now, erase_at: later(500) });
  });

  test('a deletion is taken back until the erasure has begun, and a deleted organization cannot be resumed', () => {
    const deleted = { ...kiln, suspended_at: now, erase_at: later(1_000) };
    expect(takeBackErasure(caller, deleted)?.state).toEqual({ suspended_at: null, erase_at: null });
    expect(takeBackErasure(caller, kiln)).toBeNull();
    for (const begun of [inRound(1, {}), { ...kiln, erased_at: now }]) {
      expect(() => takeBackErasure(caller, begun)).toThrow('cannot be taken back');
      expect(() => assertNotDeleted(begun)).toThrow('it is erased');
      expect(orderErasure(caller, begun, now, now)).toBeNull();
    }
    expect(() => assertNotDeleted(deleted)).toThrow('restore it instead');
    expect(() => assertNotDeleted(kiln)).not.toThrow();
  });

  test('rounds follow until one that began a quiet time after the first with all reports finds nothing', () => {
    const next = (organization: Parameters<typeof nextStep>[0], at = now) => nextStep(organization, at, quietMs)?.state;
    expect(next({ ...kiln, erase_at: now })?.erasure_round).toEqual({ number: 1, begun_at: now, deleted: {} });
    expect(next(inRound(1, {}), later(1_000))).toBeUndefined();
    const second = { number: 2, begun_at: later(5), closed_at: later(5), deleted: {} };
    expect(next(inRound(1, allReported(0)), later(5))?.erasure_round).toEqual(second);
    const soon = { begun_at: later(5), closed_at: later(5) };
    expect(next(inRound(2, { ...allReported(0), sites: 1 }, soon), later(6))?.erasure_round).toEqual({
      ...second,
      number: 3,
      begun_at: later(6),
    });
    expect(next(inRound(2, allReported(0), soon), later(5 + quietMs - 1))).toBeUndefined();
    expect(next(inRound(2, allReported(0), soon), later(5 + quietMs))?.erasure_round).toMatchObject({ number: 3, closed_at: later(5) });
    const quiet = { begun_at: later(5 + quietMs), closed_at: later(5) };
    expect(next(inRound(3, { ...allReported(0), sites: 1 }, quiet), later(9_000))?.erasure_round?.number).toBe(4);
    expect(nextStep(inRound(3, allReported(0), quiet), later(9_000), quietMs)).toMatchObject({
      state: { erased_at: later(9_000), erase_at: null, name: 'erased', slug: 'org' },
      events: [],
    });
  });

  test('a round without all reports is repeated after an hour, and is not the one with which services refuse new records', () => {
    const repeated = nextStep(inRound(1, { sites: 0 }), later(3600_000), quietMs)?.state.erasure_round;
    expect(repeated).toEqual({ number: 2, begun_at: later(3600_000), deleted: {} });
  });

  test('a report counts once, and only in its round', () => {
    const first = withReport(inRound(2, {}), 2, 'sites', 5);
    expect(first?.erasure_round?.deleted).toEqual({ sites: 5 });
    expect(withReport({ ...kiln, ...first }, 2, 'sites', 0)).toBeNull();
    expect(withReport(inRound(2, {}), 1, 'sites', 5)).toBeNull();
    expect(withReport(kiln, 1, 'sites', 5)).toBeNull();
  });
});
