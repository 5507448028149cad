import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, newTemplate, publish, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored, expireLeases, isStored, sweep } from '../testing/stored-files.ts';
import { startGarbageCollection } from './garbage-collection.ts';
import { storeFiles } from './store-files.ts';

useProjectsTemplates();

describe('garbage collection', () => {
  const deleteProject = (org: string, project_id: string) => call('projects.DeleteProject', { project_id }, testCaller(org));
  const deleteTemplate = (org: string, template_id: string) => call('templates.DeleteTemplate', { template_id }, testCaller(org));

  async function projectWith(org: string, texts: Record<string, string>) {
    const project = await newProject(org);
    await writeDraft(org, project.id, texts);
    return project;
  }

  test('files are deleted after the last project or template that references them, not before', async () => {
    const org = randomUUID();
    const source = await projectWith(org, { 'a.html': 'a', 'b.html': 'b' });
    const template = await newTemplate(org, { source_project_id: source.id });
    const copy = await newProject(org, { template_id: template.id });
    await deleteProject(org, source.id);
    await collectAllGarbage();
    expect(await textsOf(org, { template_id: template.id })).toEqual({ 'a.html': 'a', 'b.html': 'b' });
    await deleteTemplate(org, template.id);
    await collectAllGarbage();
    expect(await textsOf(org, { project_id: copy.id })).toEqual({ 'a.html': 'a', 'b.html': 'b' });
    await deleteProject(org, copy.id);
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
  });

  test('files that only a template references are deleted after it', async () => {
    const org = randomUUID();
    const source = await projectWith(org, { 'a.html': 'a' });
    const template = await newTemplate(org, { source_project_id: source.id });
    await deleteProject(org, source.id);
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 1, chunks: 1, leased: 0 });
    await deleteTemplate(org, template.id);
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
  });

  test('the files of the latest 50 replaced drafts are kept, those of earlier ones are deleted unless a later draft has them', async () => {
    const org = randomUUID();
    const project = await projectWith(org, { 'a.html': 'kept', 'b.html': 'first' });
    for (let revision = 1; revision <= 50; revision++) {
      await writeDraft(org, project.id, { 'a.html': 'kept', 'b.html': `${revision}` });
    }
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 51, chunks: 52, leased: 0 });
    await publish(org, project.id, { 'index.html': 'kept' });
    await collectAllGarbage();
    // One manifest and one page with the tracker are those of the deploy; the first draft and its own file are gone.
    expect(await countStored(org)).toMatchObject({ manifests: 52, leased: 0 });
    expect(await isStored(org, 'first')).toBe(false);
    expect(await isStored(org, '1')).toBe(true);
    await deleteProject(org, project.id);
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
  });

  test('a draft that is written again with the same files is no revision', async () => {
    const org = randomUUID();
    const project = await projectWith(org, { 'index.html': 'same' });
    await writeDraft(org, project.id, { 'index.html': 'same' });
    await publish(org, project.id, { 'index.html': 'same' });
    expect(await mongoose.connection.collection('projects').findOne({ org_id: org })).toMatchObject({ draft_revisions: [] });
  });

  test('files of a call that crashed before it referenced them are deleted', async () => {
    const org = randomUUID();
    await storeFiles({ org_id: org }, [{ path: 'index.html', content: Buffer.from('lost') }], null);
    await collectAllGarbage();
    expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
  });

  test('nothing is deleted within the grace period', async () => {
    const org = randomUUID();
    await deleteProject(org, (await projectWith(org, { 'a.html': 'a' })).id);
    await sweep();
    expect(await countStored(org)).toMatchObject({ manifests: 1, chunks: 1 });
  });

  test("an organization's files do not keep equal files of another organization", async () => {
    const [org, other] = [randomUUID(), randomUUID()];
    const kept = await projectWith(other, { 'a.html': 'equal' });
    await deleteProject(org, (await projectWith(org, { 'a.html': 'equal' })).id);
    await collectAllGarbage();
    expect(await countStored(org)).toMatchObject({ manifests: 0, chunks: 0 });
    expect(await textsOf(other, { project_id: kept.id })).toEqual({ 'a.html': 'equal' });
  });

  test.each(['manifests', 'blob_chunks'])('a sweep of %s reads leased documents only', async (collection) => {
    const org = randomUUID();
    await projectWith(org, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}.html`, `${index}`])));
    await collectAllGarbage();
    await projectWith(org, { 'a.html': 'a' });
    await expireLeases(org);
    const operations = await requestsOn(collection, sweep);
    expect(operations.length).toBeGreaterThan(0);
    for (const { planSummary, docsExamined = 0 } of operations) {
      expect(planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN|IDHACK)/);
      expect(docsExamined).toBeLessThanOrEqual(1);
    }
  });

  /** Sweeps continuously, like two replicas, until the work is done. */
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

  const batches = Array.from({ length: 2 }, (_, batch) => batch);
  const rounds = Array.from({ length: 25 }, (_, round) => round);

  test.each([
    ['the manifests of equal trees', async () => undefined],
    ['their contents', sweep],
  ])('50 drafts that are written while %s are garbage-collected have all their files', async (_, begin) => {
    const org = randomUUID();
    for (const batch of batches) {
      const texts = rounds.map((round) => ({ 'a.html': `a ${batch} ${round}`, 'b.html': `b ${batch} ${round}`, 'c.html': `c ${round}` }));
      const doomed = await Promise.all(texts.map((text) => projectWith(org, text)));
      const projects = await Promise.all(rounds.map(() => newProject(org)));
      await Promise.all(doomed.map(({ id }) => deleteProject(org, id)));
      await expireLeases(org);
      await begin();
      await expireLeases(org);
      const writes = projects.map(({ id }, round) => writeDraft(org, id, texts[round] ?? {}));
      expect((await whileSweeping(writes)).map(({ status }) => status)).toEqual(rounds.map(() => 'fulfilled'));
      await collectAllGarbage();
      expect(await Promise.all(projects.map(({ id }) => textsOf(org, { project_id: id })))).toEqual(texts);
    }
  });

  test('of 50 templates copied during their deletion and sweeps, every copy that succeeds has all its files', async () => {
    const org = randomUUID();
    let copies = 0;
    for (const batch of batches) {
      const texts = rounds.map((round) => ({ 'a.html': `a ${batch} ${round}`, 'b.html': `b ${round}` }));
      const sources = await Promise.all(texts.map((text) => projectWith(org, text)));
      const templates = await Promise.all(sources.map(({ id }) => newTemplate(org, { source_project_id: id })));
      await Promise.all(sources.map(({ id }) => deleteProject(org, id)));
      await expireLeases(org);
      const making = templates.flatMap(({ id }, round) => {
        const copy = newProject(org, { template_id: id });
        // Every fifth copy finishes before its template is deleted, so that some copies always succeed.
        const goes = round % 5 === 0 ? copy.then(() => deleteTemplate(org, id)) : deleteTemplate(org, id);
        return [copy, goes.then(() => undefined)];
      });
      const outcomes = await whileSweeping(making);
      await collectAllGarbage();
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
});

describe('start garbage collection', () => {
  test('unreferenced files are deleted periodically once their grace period is over', async () => {
    const org_id = randomUUID();
    await storeFiles({ org_id }, [{ path: 'index.html', content: Buffer.from('lost') }], null);
    const stop = startGarbageCollection(200);
    await until(async () => (await countStored(org_id)).chunks === 0);
    expect(await countStored(org_id)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
    stop();
  });
});
