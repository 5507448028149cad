import { randomUUID } from 'node:crypto';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, present, publish, refusal, sites, textsOf, visitedTexts, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';

useProjectsTemplates();

const embed = (org: string, user_id?: string) =>
  callerFor({ ...servicePrincipal('embed', org), ...(user_id !== undefined && { user_id }) }, { timeoutMs: 120_000 });

interface Difference {
  written?: Record<string, string>;
  deleted?: string[];
  commit?: boolean;
  title?: string;
}

/** A project, and the turns on it. Without texts it has no draft. */
async function builtProject(texts?: Record<string, string>) {
  const org = randomUUID();
  const { id } = await newProject(org);
  if (texts !== undefined) await writeDraft(org, id, texts);
  const read = () => call('projects.ReadDraft', { project_id: id }, embed(org));
  const write = (turn_id: string, base: string | undefined, { written = {}, deleted = [], commit = false, title = 'Edit' }: Difference) =>
    call(
      'projects.WriteTurn',
      {
        project_id: id,
        turn_id,
        ...(base !== undefined && { base_revision_id: base }),
        written: Object.entries(written).map(([path, text]) => ({ path, content: Buffer.from(text) })),
        deleted,
        commit,
        title,
      },
      embed(org),
    );
  const revisions = async () => (await call('projects.ListRevisions', { project_id: id, offset: 0 }, testCaller(org))).revisions;
  const { preview_url } = await call('projects.GetPreview', { project_id: id }, testCaller(org));
  const token = present(new URL(preview_url).hostname.split('.')[0]);
  const previewed = async () => {
    const { files } = await call('sites.ResolvePreview', { token }, sites());
    const texts = files.map(async ({ path, sha256 }) => {
      const { content } = await call('sites.GetSiteContent', { org_id: org, sha256, encoding: '' }, sites());
      return [path, content.toString()] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  };
  const drop = (turn_id: string) => call('projects.DropTurn', { project_id: id, turn_id }, embed(org));
  return { org, id, read, write, drop, revisions, previewed, draft: () => textsOf(org, { project_id: id }) };
}

test('a draft is read with the contents of its texts, and those of other files are left out', async () => {
  const { read, revisions } = await builtProject({
    'index.html': 'Hi',
    'empty.css': '',
    'logo.png': 'png',
    'big.txt': 'x'.repeat(600_000),
  });
  const { revision_id, project_name, files } = await read();
  expect({ revision_id, project_name }).toEqual({ revision_id: (await revisions())[0]?.id, project_name: 'Site' });
  const contents = files.map(({ path, content }) => [path, content?.toString()]);
  expect(contents).toEqual([
    ['big.txt', undefined],
    ['empty.css', ''],
    ['index.html', 'Hi'],
    ['logo.png', undefined],
  ]);
});

test('a running turn shows in previews alone, and becomes the draft as one revision', async () => {
  const { read, write, draft, previewed, revisions } = await builtProject({ 'index.html': 'old', 'gone.html': 'gone', 'kept.css': 'a {}' });
  const { revision_id } = await read();
  const turn = randomUUID();
  await write(turn, revision_id, { written: { 'index.html': 'first' } });
  expect(await previewed()).toMatchObject({ 'index.html': 'first', 'gone.html': 'gone' });
  const difference = { written: { 'index.html': 'second', 'new.html': 'new' }, deleted: ['gone.html', 'never.html'] };
  const result = { 'index.html': 'second', 'kept.css': 'a {}', 'new.html': 'new' };
  await write(turn, revision_id, difference);
  expect(await previewed()).toEqual(result);
  expect(await draft()).toMatchObject({ 'index.html': 'old' });
  const committed = await write(turn, revision_id, { ...difference, commit: true, title: 'A second page' });
  expect([await draft(), await previewed()]).toEqual([result, result]);
  expect(await revisions()).toMatchObject([
    { id: committed.revision_id, number: 2, title: 'A second page', origin: 'turn', turn_id: turn, current: true },
    { id: revision_id, number: 1, title: 'Files uploaded', origin: 'upload', current: false },
  ]);
});

test('a commit that is repeated gives the same revision, at once or after another one', async () => {
  const { write, revisions } = await builtProject();
  const turn = randomUUID();
  const commit = () => write(turn, undefined, { written: { 'index.html': 'Hi' }, commit: true });
  const answers = await Promise.all([commit(), commit(), commit()]);
  const [first] = answers;
  expect(new Set(answers.map(({ revision_id }) => revision_id)).size).toBe(1);
  await write(randomUUID(), first?.revision_id, { written: { 'index.html': 'next' }, commit: true });
  expect(await commit()).toEqual(first);
  expect(await revisions()).toHaveLength(2);
});

test('a turn that changed nothing is no revision', async () => {
  const { read, write, revisions } = await builtProject({ 'index.html': 'same' });
  const { revision_id } = await read();
  expect(await write(randomUUID(), revision_id, { written: { 'index.html': 'same' }, commit: true })).toEqual({ revision_id });
  expect(await revisions()).toHaveLength(1);
  const empty = await builtProject();
  expect(await empty.write(randomUUID(), undefined, { commit: true })).toEqual({});
  expect(await empty.revisions()).toEqual([]);
});

test('a turn on a draft that was changed meanwhile is refused, and previews show the changed draft', async () => {
  const { org, id, read, write, draft, previewed } = await builtProject({ 'index.html': 'old' });
  const { revision_id } = await read();
  const turn = randomUUID();
  await write(turn, revision_id, { written: { 'index.html': 'turn' } });
  await publish(org, id, { 'index.html': 'published' });
  for (const commit of [false, true]) {
    await expect(write(turn, revision_id, { written: { 'index.html': 'turn' }, commit })).rejects.toEqual(refusal('edited_meanwhile'));
  }
  expect([await draft(), await previewed()]).toEqual([{ 'index.html': 'published' }, { 'index.html': 'published' }]);
});

test('previews show the draft again after a turn is dropped, or has not written for long', async () => {
  const { id, read, write, drop, previewed } = await builtProject({ 'index.html': 'old' });
  const { revision_id } = await read();
  const turn = randomUUID();
  await write(turn, revision_id, { written: { 'index.html': 'turn' } });
  await drop(randomUUID());
  expect(await previewed()).toEqual({ 'index.html': 'turn' });
  await drop(turn);
  expect(await previewed()).toEqual({ 'index.html': 'old' });
  await write(turn, revision_id, { written: { 'index.html': 'again' } });
  const overlays = mongoose.connection.collection<{ _id: string }>('draft_overlays');
  await overlays.updateOne({ _id: id }, { $set: { at: new Date(Date.now() - 16 * 60_000) } });
  expect(await previewed()).toEqual({ 'index.html': 'old' });
});

test('the files of a running turn are kept while it runs, and deleted after it was dropped', async () => {
  const { org, read, write, drop, previewed } = await builtProject({ 'index.html': 'old' });
  const { revision_id } = await read();
  const turn = randomUUID();
  await write(turn, revision_id, { written: { 'index.html': 'turn' } });
  await collectAllGarbage();
  expect(await previewed()).toEqual({ 'index.html': 'turn' });
  await drop(turn);
  await collectAllGarbage();
  expect(await countStored(org)).toEqual({ manifests: 1, chunks: 1, leased: 0 });
});

test.each(['../up.html', '_forms/x', 'a//b'])('the path %j is refused by name', async (path) => {
  const { write, revisions } = await builtProject();
  await expect(write(randomUUID(), undefined, { written: { [path]: 'x' }, commit: true })).rejects.toMatchObject({
    code: 'validation_failed',
    details: [{ path }],
  });
  expect(await revisions()).toEqual([]);
});

test('a draft has at most 2,000 files, those of before and of the turn together', async () => {
  const { read, write } = await builtProject(Object.fromEntries(Array.from({ length: 1999 }, (_, page) => [`${page}.html`, 'page'])));
  const { revision_id } = await read();
  const turn = randomUUID();
  await expect(write(turn, revision_id, { written: { a: 'a', b: 'b' } })).rejects.toEqual(refusal('validation_failed'));
  await write(turn, revision_id, { written: { a: 'a', b: 'b', '0.html': 'again' }, deleted: ['1.html'] });
});

test('a turn on a project of another user or organization finds none', async () => {
  const { org, id, read } = await builtProject({ 'index.html': 'Hi' });
  expect((await read()).files).toHaveLength(1);
  for (const caller of [embed(org, randomUUID()), embed(randomUUID())]) {
    await expect(call('projects.ReadDraft', { project_id: id }, caller)).rejects.toEqual(refusal('project_not_found'));
    const turn = { project_id: id, turn_id: randomUUID(), written: [], deleted: [], commit: true, title: '' };
    await expect(call('projects.WriteTurn', turn, caller)).rejects.toEqual(refusal('project_not_found'));
    await expect(call('projects.DropTurn', turn, caller)).rejects.toEqual(refusal('project_not_found'));
  }
});

test('the specification of a composed site is part of the draft, and visitors and previews never get it', async () => {
  const { org, id, draft, previewed } = await builtProject({ 'index.html': 'Hi', 'webkiln.json': '{}' });
  expect(await previewed()).toEqual({ 'index.html': 'Hi' });
  const { project } = await publish(org, id);
  expect(await visitedTexts(present(project?.subdomain))).toEqual({ 'index.html': 'Hi' });
  expect(await draft()).toEqual({ 'index.html': 'Hi', 'webkiln.json': '{}' });
});
