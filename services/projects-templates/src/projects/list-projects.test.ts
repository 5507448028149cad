import { randomBytes, randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { fillMissingParts } from '@webkiln/store';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, operator, present, publish, refusal, sites, visitedTexts } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { labelHeldMs, maxRenamesPerDay } from './label-store.ts';
import { ProjectModel } from './project-store.ts';

describe('list projects', () => {
  useProjectsTemplates();

  type Wanted = RequestOf<'projects.ListProjects'>;

  const list = (org: string, wanted: Wanted = {}) => call('projects.ListProjects', { limit: 50, offset: 0, ...wanted }, testCaller(org));

  const namesIn = async (org: string, wanted?: Wanted) => (await list(org, wanted)).projects.map(({ name }) => name);

  async function newProjects(org: string, names: string[], client = fakeClient(org)) {
    for (const name of names) await newProject(org, { client, name });
    return client;
  }

  test('projects are listed newest first, in pages, with the total', async () => {
    const org = randomUUID();
    await newProjects(org, ['a', 'b', 'c', 'd', 'e']);
    expect(await list(org, { limit: 2, offset: 0 })).toMatchObject({ projects: [{ name: 'e' }, { name: 'd' }], total: 5 });
    expect(await list(org, { limit: 2, offset: 4 })).toMatchObject({ projects: [{ name: 'a' }], total: 5 });
    expect(await list(org, { limit: 2, offset: 6 })).toMatchObject({ projects: [], total: 5 });
  });

  test('projects created in the same millisecond are sorted by id', async () => {
    const org = randomUUID();
    await newProjects(org, ['a', 'b', 'c', 'd', 'e']);
    await mongoose.connection.collection('projects').updateMany({ org_id: org }, { $set: { created_at: '2026-01-01T00:00:00.000Z' } });
    const ids = (await list(org)).projects.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
  });

  test('a list contains only projects of its organization', async () => {
    const [org, other] = [randomUUID(), randomUUID()];
    await newProjects(org, ['ours']);
    await newProjects(other, ['theirs']);
    expect(await list(org)).toMatchObject({ projects: [{ name: 'ours' }], total: 1 });
  });

  test('client_id, status and q filter the list, alone and combined', async () => {
    const org = randomUUID();
    const client = await newProjects(org, ['Bakery one', 'Bakery two']);
    await newProjects(org, ['Bakery three', 'Florist']);
    const [project] = (await list(org, { q: 'one' })).projects;
    await call('projects.UpdateProject', { project_id: project?.id, status: 'archived', update_mask: ['status'] }, testCaller(org));
    expect(await namesIn(org, { client_id: client.client_id })).toEqual(['Bakery two', 'Bakery one']);
    expect(await namesIn(org, { status: 'archived' })).toEqual(['Bakery one']);
    expect(await namesIn(org, { q: 'BAKERY' })).toEqual(['Bakery three', 'Bakery two', 'Bakery one']);
    expect(await namesIn(org, { q: 'bakery', client_id: client.client_id, status: 'active' })).toEqual(['Bakery two']);
    expect(await list(org, { q: 'bakery', limit: 1 })).toMatchObject({ total: 3 });
  });

  test.each<Wanted>([
    { client_id: 'nonsense' },
    { client_id: '' },
    { client_id: randomUUID() },
    { status: 'deleted' },
    { status: '' },
    { q: 'no such name' },
    { q: 'a\0' },
    { q: 'x'.repeat(100_000) },
  ])('%j matches nothing', async (wanted) => {
    const org = randomUUID();
    await newProjects(org, ['a']);
    expect(await list(org, wanted)).toEqual({ projects: [], total: 0, next_cursor: '' });
  });

  test.each([
    ['v.', []],
    ['1.0', ['v1.0']],
    ['.*', ['a.*b']],
    ['^v', []],
    ['$', ['5$']],
    ['(x', ['f(x']],
    ['[', ['[z]']],
    ['\\', ['back\\slash']],
    ['\\d', []],
    ['a|b', []],
    ['{"$ne":1}', []],
    ['-', ['a-z']],
    ['/i', []],
    ['é', ['CAFÉ']],
  ])('q is matched as plain text: %j', async (q, names) => {
    const org = randomUUID();
    await newProjects(org, ['v1.0', 'a.*b', '5$', 'f(x', '[z]', 'back\\slash', 'a-z', 'CAFÉ']);
    expect(await namesIn(org, { q })).toEqual(names);
  });

  test('an empty q does not filter', async () => {
    const org = randomUUID();
    await newProjects(org, ['a', 'b']);
    expect(await namesIn(org, { q: '' })).toEqual(['b', 'a']);
  });

  describe('among thousands of projects', () => {
    const [org, client_id] = [randomUUID(), randomUUID()];
    const size = 3000;

    beforeAll(async () => {
      const projects = Array.from({ length: size }, (_, index) => ({
        _id: randomUUID(),
        org_id: index % 2 === 0 ? org : randomUUID(),
        user_id: randomUUID(),
        org_client_id: index % 20 === 0 ? client_id : randomUUID(),
        name: `Project ${index}`,
        description: null,
        status: index % 10 === 0 ? 'archived' : 'active',
        template: null,
        tags: [],
        starred: false,
        is_public: false,
        draft_manifest_id: null,
        created_at: new Date(index * 60_000).toISOString(),
        updated_at: new Date(index * 60_000).toISOString(),
        revision: 1,
        outbox: [],
      }));
      await mongoose.connection.collection<{ _id: string }>('projects').insertMany(projects);
      await fillMissingParts(ProjectModel);
    });

    const operations = (wanted: Wanted) => requestsOn('projects', () => list(org, wanted));

    test.each<[string, Wanted, number]>([
      ['all', {}, 51],
      ["a client's", { client_id }, 51],
      ['a status', { status: 'archived' }, 51],
      ["a later page of a client's", { client_id, offset: 50 }, 101],
    ])('the list of %s is sorted by an index and counted without reading documents', async (_, wanted, read) => {
      const [page, count] = (await operations(wanted)).sort((a) => (a.op === 'query' ? -1 : 1));
      expect(page).toMatchObject({
        op: 'query',
        planSummary: expect.stringMatching(/^IXSCAN { org_id: 1.* created_at: -1, _id: 1 }$/),
        nreturned: 51,
      });
      expect(page?.hasSortStage).toBeUndefined();
      expect(page?.docsExamined).toBeLessThanOrEqual(read);
      expect(count).toMatchObject({
        op: 'command',
        planSummary: expect.stringMatching(/^(COUNT_SCAN|IXSCAN) { org_id: 1/),
        docsExamined: 0,
      });
    });

    test.each([
      ['a hit', 'project 99', 5],
      ['no hit', 'project 99x', 0],
      ['three characters', '998', 3],
    ])('a search is served by an index, which sorts it, and reads little more than it finds: %s', async (_, q, hits) => {
      const all = await operations({ q });
      const page = all.find(({ op }) => op === 'query');
      expect(page).toMatchObject({ planSummary: expect.stringMatching(/^IXSCAN { org_id: 1, name_parts: 1/), nreturned: hits });
      expect(page?.docsExamined).toBeLessThanOrEqual(hits + 5);
      for (const operation of all) {
        expect(operation.planSummary).toMatch(/^(COUNT_SCAN|IXSCAN) { org_id: 1/);
        expect(operation.hasSortStage).toBeUndefined();
        if (operation !== page) expect(operation.docsExamined).toBe(0);
      }
    });
  });
});

describe('labels', () => {
  useProjectsTemplates();

  const someLabel = (start = 'shop') => `${start}-${randomBytes(6).toString('hex')}`;

  async function siteAt(label: string, org = randomUUID()) {
    const { principal } = testCaller(org);
    const caller = testCaller(org, { principal: { ...principal, kind: 'session', role: 'owner', account_id: randomUUID() } });
    const { id } = await newProject(org, { name: label });
    const { project } = await publish(org, id, { 'index.html': id });
    const rename = (subdomain: string) => call('projects.AddDomain', { project_id: id, subdomain }, caller);
    const remove = () => call('projects.DeleteProject', { project_id: id }, caller);
    return { org, id, label: present(project?.subdomain), rename, remove };
  }

  const resolved = (name: string) => call('sites.ResolveSite', { name }, sites());
  const addressOf = (label: string) => `https://${label}.sites.example.net`;

  const leftLabels = () => mongoose.connection.collection('left_labels');
  /** As if all of it had happened so much earlier. */
  async function letPass(label: string, ms: number): Promise<void> {
    const left = await leftLabels().find({ label }).toArray();
    for (const { _id, held_until } of left) {
      await leftLabels().updateOne({ _id }, { $set: { held_until: new Date(Number(held_until) - ms) } });
    }
  }

  test('a label that a site leaves is held: for others it is taken, and visitors are sent to the new address', async () => {
    const [mover, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
    const next = someLabel();
    await mover.rename(next);
    expect(await resolved(mover.label)).toMatchObject({ found: false, project_id: mover.id, moved_to: addressOf(next) });
    await expect(stranger.rename(mover.label)).rejects.toEqual(refusal('subdomain_taken'));
    expect((await siteAt(mover.label)).label).toMatch(new RegExp(`^${mover.label}-\\w{6}$`));
    const last = someLabel();
    await mover.rename(last);
    for (const label of [mover.label, next]) expect((await resolved(label)).moved_to).toBe(addressOf(last));
  });

  test("the organization takes a held label again at once, by the site itself or by another of the organization's", async () => {
    const mover = await siteAt(someLabel());
    const other = await siteAt(someLabel(), mover.org);
    await mover.rename(someLabel());
    await mover.rename(mover.label);
    expect(await resolved(mover.label)).toMatchObject({ found: true, project_id: mover.id, moved_to: '', clears_storage_until: '' });
    await mover.rename(someLabel());
    await other.rename(mover.label);
    expect(await visitedTexts(mover.label)).toEqual({ 'index.html': other.id });
  });

  test('an operator takes a site down by an address that it has left', async () => {
    const mover = await siteAt(someLabel());
    const next = someLabel();
    await mover.rename(next);
    const { site } = await call('sites.TakeDownSite', { site: addressOf(mover.label), reason: 'spam' }, operator(mover.org));
    expect(site).toMatchObject({ project_id: mover.id, url: addressOf(next) });
    for (const label of [mover.label, next]) expect((await resolved(label)).taken_down).toBe(true);
  });

  test('the label of a deleted project is held and shows nothing', async () => {
    const [gone, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
    await gone.remove();
    expect(await resolved(gone.label)).toMatchObject({ found: false, moved_to: '' });
    await expect(stranger.rename(gone.label)).rejects.toEqual(refusal('subdomain_taken'));
    expect(await siteAt(gone.label, gone.org)).toMatchObject({ label: gone.label });
  });

  test('after 90 days others may take the label, and pages of another project there clear what the site before left', async () => {
    const [mover, deleted, renamed] = [await siteAt(someLabel()), await siteAt(someLabel()), await siteAt(someLabel())];
    await mover.rename(someLabel());
    await deleted.remove();
    for (const { label } of [mover, deleted]) await letPass(label, labelHeldMs);
    expect((await resolved(mover.label)).moved_to).toBe('');
    await renamed.rename(mover.label);
    const published = await siteAt(deleted.label);
    expect(published.label).toBe(deleted.label);
    for (const { label } of [mover, deleted]) {
      const days = (Date.parse((await resolved(label)).clears_storage_until) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(30);
    }
    await renamed.rename(someLabel());
    expect((await resolved(renamed.label)).clears_storage_until).toBe('');
  });

  test('a label goes from one site to another without a moment in which a third organization can take it', async () => {
    const mover = await siteAt(someLabel());
    const strangers = await Promise.all(Array.from({ length: 6 }, () => siteAt(someLabel())));
    const takes = strangers.map(({ rename }) => rename(mover.label));
    const outcomes = await Promise.allSettled([mover.rename(someLabel()), ...takes]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...takes.map(() => 'rejected')]);
    for (const { rename } of strangers) await expect(rename(mover.label)).rejects.toEqual(refusal('subdomain_taken'));
  });

  test('a site changes its subdomain 10 times a day, also by requests at once; a refused change counts nothing', async () => {
    const [site, other] = [await siteAt(someLabel()), await siteAt(someLabel())];
    for (let attempt = 0; attempt <= maxRenamesPerDay; attempt++) await expect(site.rename(other.label)).rejects.toThrow();
    const outcomes = await Promise.allSettled(Array.from({ length: maxRenamesPerDay + 3 }, () => site.rename(someLabel())));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.map((outcome) => 'reason' in outcome && outcome.reason.code)).toEqual(Array(3).fill('too_many_renames'));
    await expect(site.rename(site.label)).rejects.toEqual(refusal('too_many_renames'));
    await leftLabels().updateMany({ project_id: site.id }, [{ $set: { renamed: { $concat: ['of yesterday ', '$renamed'] } } }]);
    await site.rename(site.label);
  });

  test('an organization has 1,000 held labels at most; a further one is free at once', async () => {
    const [full, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
    const held_until = new Date(Date.now() + labelHeldMs);
    const of = (at: number) => ({
      _id: `${full.org} ${at}`,
      org_id: full.org,
      project_id: `${at}`,
      label: `${full.label}-${at}`,
      held_until,
    });
    await mongoose.connection.collection<ReturnType<typeof of>>('left_labels').insertMany(Array.from({ length: 1000 }, (_, at) => of(at)));
    await full.rename(someLabel());
    await stranger.rename(full.label);
    expect(await resolved(full.label)).toMatchObject({ found: true, project_id: stranger.id });
    expect((await resolved(full.label)).clears_storage_until).not.toBe('');
  });
});
