import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, newTemplate, present, publish, refusal, repeatable, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage } from '../testing/stored-files.ts';

useProjectsTemplates();

const list = async (org: string, project_id: string) =>
  (await call('projects.ListRevisions', { project_id, offset: 0 }, testCaller(org))).revisions;
const restore = (org: string, project_id: string, revision_id: string, key = {}) =>
  call('projects.RestoreRevision', { project_id, revision_id }, testCaller(org, key));

test('each state of the draft is a revision with what made it; publishing the draft adds none', async () => {
  const org = randomUUID();
  const source = await newProject(org);
  await writeDraft(org, source.id, { 'index.html': 'template' });
  const template = await newTemplate(org, { source_project_id: source.id });
  const { id } = await newProject(org, { template_id: template.id });
  expect(await list(org, id)).toMatchObject([{ number: 1, origin: 'template', title: 'Started from a template', current: true }]);
  await publish(org, id);
  await publish(org, id, { 'index.html': 'published' });
  await publish(org, id, { 'index.html': 'kept apart' }, { draft: 'keep' });
  await writeDraft(org, id, { 'index.html': 'uploaded' });
  const revisions = await list(org, id);
  expect(revisions.map(({ number, origin, current }) => [number, origin, current])).toEqual([
    [3, 'upload', true],
    [2, 'publish', false],
    [1, 'template', false],
  ]);
  expect(new Set(revisions.map((revision) => revision.id)).size).toBe(3);
});

test('a restored revision is a new one with its files, so undo can be undone', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  for (const text of ['one', 'two']) await writeDraft(org, id, { 'index.html': text });
  const [two, one] = (await list(org, id)).map((revision) => revision.id);
  const { revision } = await restore(org, id, present(one));
  expect(revision).toMatchObject({ number: 3, origin: 'restore', title: 'Restored revision 1', current: true });
  expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': 'one' });
  await restore(org, id, present(two));
  expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': 'two' });
  const { revision: present4 } = await restore(org, id, present(two));
  expect(present4).toMatchObject({ number: 4, current: true });
  expect(await list(org, id)).toHaveLength(4);
});

test('a repeated restore is one revision', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  for (const text of ['one', 'two']) await writeDraft(org, id, { 'index.html': text });
  const oldest = present((await list(org, id)).at(-1)).id;
  const [first, second] = [await restore(org, id, oldest, repeatable('again')), await restore(org, id, oldest, repeatable('again'))];
  expect(second.revision?.id).toBe(first.revision?.id);
  expect(await list(org, id)).toHaveLength(3);
});

test('files of a revision are read; unknown revisions, files and foreign projects are not found', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  for (const text of ['one', 'two']) await writeDraft(org, id, { 'index.html': text });
  const revision_id = present((await list(org, id))[1]).id;
  const at = { project_id: id, revision_id };
  expect((await call('projects.ListRevisionFiles', at, testCaller(org))).files).toMatchObject([{ path: 'index.html', size: 3 }]);
  const { content } = await call('projects.GetRevisionFile', { ...at, path: 'index.html' }, testCaller(org));
  expect(content.toString()).toBe('one');
  const file = (wanted: object, caller = testCaller(org)) =>
    call('projects.GetRevisionFile', { ...at, path: 'index.html', ...wanted }, caller);
  await expect(file({ path: 'none.html' })).rejects.toEqual(refusal('file_not_found'));
  await expect(file({ revision_id: randomUUID() })).rejects.toEqual(refusal('revision_not_found'));
  await expect(file({}, testCaller(randomUUID()))).rejects.toEqual(refusal('revision_not_found'));
  await expect(restore(org, id, randomUUID())).rejects.toEqual(refusal('revision_not_found'));
});

test('the draft and the latest 50 before it are kept, and the oldest of them can be restored', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  for (let text = 1; text <= 53; text++) await writeDraft(org, id, { 'index.html': `${text}` });
  await collectAllGarbage();
  const revisions = await list(org, id);
  expect(revisions.map(({ number }) => number)).toEqual(Array.from({ length: 51 }, (_, index) => 53 - index));
  await restore(org, id, present(revisions.at(-1)).id);
  await collectAllGarbage();
  expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': '3' });
  expect((await list(org, id)).map(({ number }) => number).slice(0, 2)).toEqual([54, 53]);
});

test('revisions that an earlier version stored keep one id, in order, through the next change', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  for (const text of ['one', 'two', 'three']) await writeDraft(org, id, { 'index.html': text });
  const projects = mongoose.connection.collection<{ _id: string; draft_revisions: { manifest_id: string; replaced_at: string }[] }>(
    'projects',
  );
  const stored = present(await projects.findOne({ _id: id }));
  const bare = stored.draft_revisions.map(({ manifest_id, replaced_at }) => ({ manifest_id, replaced_at }));
  await projects.updateOne({ _id: id }, { $set: { draft_revisions: bare }, $unset: { draft_revision: true } });
  const before = await list(org, id);
  expect(before.map(({ number, origin, current }) => [number, origin, current])).toEqual([
    [3, 'upload', true],
    [2, 'upload', false],
    [1, 'upload', false],
  ]);
  expect(
    before
      .map(({ created_at }) => created_at)
      .toSorted()
      .reverse(),
  ).toEqual(before.map(({ created_at }) => created_at));
  expect(await list(org, id)).toEqual(before);
  await writeDraft(org, id, { 'index.html': 'four' });
  expect((await list(org, id)).slice(1)).toEqual(before.map((revision) => ({ ...revision, current: false })));
});
