import { randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { fillMissingParts } from '@webkiln/store';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { ProjectModel } from './project-store.ts';

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
    expect(count).toMatchObject({ op: 'command', planSummary: expect.stringMatching(/^(COUNT_SCAN|IXSCAN) { org_id: 1/), docsExamined: 0 });
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
