import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { newProject, newTemplate, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { age, settle, storedOf, sweep } from '../testing/stored-files.ts';
import { storeFiles } from './store-files.ts';

useProjectsTemplates();

const deleteProject = (org: string, project_id: string) => call('projects.DeleteProject', { project_id }, testCaller(org));
const deleteTemplate = (org: string, template_id: string) => call('templates.DeleteTemplate', { template_id }, testCaller(org));

async function projectWith(org: string, texts: Record<string, string>) {
  const project = await newProject(org);
  await writeDraft(org, project.id, texts);
  return project;
}

test('files go when the last project or template that uses them is gone, not before', async () => {
  const org = randomUUID();
  const source = await projectWith(org, { 'a.html': 'a', 'b.html': 'b' });
  const template = await newTemplate(org, { source_project_id: source.id });
  const copy = await newProject(org, { template_id: template.id });
  await deleteProject(org, source.id);
  await settle();
  expect(await textsOf(org, { template_id: template.id })).toEqual({ 'a.html': 'a', 'b.html': 'b' });
  await deleteTemplate(org, template.id);
  await settle();
  expect(await textsOf(org, { project_id: copy.id })).toEqual({ 'a.html': 'a', 'b.html': 'b' });
  await deleteProject(org, copy.id);
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 0, chunks: 0, held: 0 });
});

test('files that only a template used go with it', async () => {
  const org = randomUUID();
  const source = await projectWith(org, { 'a.html': 'a' });
  const template = await newTemplate(org, { source_project_id: source.id });
  await deleteProject(org, source.id);
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 1, chunks: 1, held: 0 });
  await deleteTemplate(org, template.id);
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 0, chunks: 0, held: 0 });
});

test('what a new draft replaces goes, what it keeps stays', async () => {
  const org = randomUUID();
  const project = await projectWith(org, { 'a.html': 'kept', 'b.html': 'replaced' });
  await writeDraft(org, project.id, { 'a.html': 'kept', 'b.html': 'new' });
  expect(await storedOf(org)).toMatchObject({ manifests: 2, chunks: 3 });
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 1, chunks: 2, held: 0 });
  expect(await textsOf(org, { project_id: project.id })).toEqual({ 'a.html': 'kept', 'b.html': 'new' });
});

test('what was stored by a call that died before it was used goes', async () => {
  const org = randomUUID();
  await storeFiles({ org_id: org }, [{ path: 'index.html', content: Buffer.from('lost') }], null);
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 0, chunks: 0, held: 0 });
});

test('nothing goes within the grace time', async () => {
  const org = randomUUID();
  await deleteProject(org, (await projectWith(org, { 'a.html': 'a' })).id);
  await sweep();
  expect(await storedOf(org)).toMatchObject({ manifests: 1, chunks: 1 });
});

test("an organization's equal files do not keep another's", async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  const kept = await projectWith(other, { 'a.html': 'equal' });
  await deleteProject(org, (await projectWith(org, { 'a.html': 'equal' })).id);
  await settle();
  expect(await storedOf(org)).toMatchObject({ manifests: 0, chunks: 0 });
  expect(await textsOf(other, { project_id: kept.id })).toEqual({ 'a.html': 'equal' });
});

test.each(['manifests', 'blob_chunks'])('a sweep of %s looks at what is held, not at all there is', async (collection) => {
  const org = randomUUID();
  await projectWith(org, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.html`, `${index}`])));
  await settle();
  await projectWith(org, { 'a.html': 'a' });
  await age(org);
  const operations = await requestsOn(collection, sweep);
  expect(operations.length).toBeGreaterThan(0);
  for (const { planSummary, docsExamined = 0 } of operations) {
    expect(planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN|IDHACK)/);
    expect(docsExamined).toBeLessThanOrEqual(1);
  }
});

/** Sweeps as two replicas do, over and over, while the work goes on. */
async function whileSweeping<T>(work: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  let working = true;
  const sweeper = async () => {
    while (working) await sweep();
  };
  const sweepers = [sweeper(), sweeper()];
  const outcomes = await Promise.allSettled(work);
  working = false;
  await Promise.all(sweepers);
  return outcomes;
}

const batches = Array.from({ length: 4 }, (_, batch) => batch);
const rounds = Array.from({ length: 25 }, (_, round) => round);

test.each([
  ['the manifests of equal trees', async () => undefined],
  ['their contents', sweep],
])('100 drafts that are written while %s are reclaimed have all their files', async (_, begin) => {
  const org = randomUUID();
  for (const batch of batches) {
    const texts = rounds.map((round) => ({ 'a.html': `a ${batch} ${round}`, 'b.html': `b ${batch} ${round}`, 'c.html': `c ${round}` }));
    const doomed = await Promise.all(texts.map((text) => projectWith(org, text)));
    const projects = await Promise.all(rounds.map(() => newProject(org)));
    await Promise.all(doomed.map(({ id }) => deleteProject(org, id)));
    await age(org);
    await begin();
    await age(org);
    const writes = projects.map(({ id }, round) => writeDraft(org, id, texts[round] ?? {}));
    expect((await whileSweeping(writes)).map(({ status }) => status)).toEqual(rounds.map(() => 'fulfilled'));
    await settle();
    expect(await Promise.all(projects.map(({ id }) => textsOf(org, { project_id: id })))).toEqual(texts);
  }
});

test('100 templates that are copied while they are deleted and swept: a copy that was made has all its files', async () => {
  const org = randomUUID();
  let copies = 0;
  for (const batch of batches) {
    const texts = rounds.map((round) => ({ 'a.html': `a ${batch} ${round}`, 'b.html': `b ${round}` }));
    const sources = await Promise.all(texts.map((text) => projectWith(org, text)));
    const templates = await Promise.all(sources.map(({ id }) => newTemplate(org, { source_project_id: id })));
    await Promise.all(sources.map(({ id }) => deleteProject(org, id)));
    await age(org);
    const making = templates.flatMap(({ id }, round) => {
      const copy = newProject(org, { template_id: id });
      // Every fifth copy is finished before its template goes, so that some are made however the others' races end.
      const goes = round % 5 === 0 ? copy.then(() => deleteTemplate(org, id)) : deleteTemplate(org, id);
      return [copy, goes.then(() => undefined)];
    });
    const outcomes = await whileSweeping(making);
    await settle();
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'template_not_found' });
      else if (outcome.value !== undefined) {
        copies++;
        expect(await textsOf(org, { project_id: outcome.value.id })).toEqual(texts[index / 2]);
      }
    }
  }
  expect(copies).toBeGreaterThanOrEqual((batches.length * rounds.length) / 5);
});
