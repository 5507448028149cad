import { randomUUID } from 'node:crypto';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import {
  newProject,
  newTemplate,
  present,
  publish,
  refusal,
  repeatable,
  sites,
  textsOf,
  visitedTexts,
  writeDraft,
} from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';

useProjectsTemplates();

describe('revisions', () => {
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

  test('a restore with the tag of a draft that was changed since is refused', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    const tag = async () => (await call('projects.GetDraft', { project_id: id }, testCaller(org))).etag;
    for (const text of ['one', 'two']) await writeDraft(org, id, { 'index.html': text });
    const ifMatch = await tag();
    await writeDraft(org, id, { 'index.html': 'three' });
    const oldest = present((await list(org, id)).at(-1)).id;
    await expect(restore(org, id, oldest, { ifMatch })).rejects.toEqual(refusal('edited_meanwhile'));
    expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': 'three' });
    await restore(org, id, oldest, { ifMatch: await tag() });
    expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': 'one' });
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
});

describe('turns', () => {
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
    const { read, write, draft, previewed, revisions } = await builtProject({
      'index.html': 'old',
      'gone.html': 'gone',
      'kept.css': 'a {}',
    });
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
});
