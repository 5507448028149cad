import { createHash, randomUUID } from 'node:crypto';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, present, publish, refusal, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const none = { count: 0, paths: [] };

async function project(texts?: Record<string, string>) {
  const org = randomUUID();
  const { id: project_id } = await newProject(org);
  if (texts !== undefined) await writeDraft(org, project_id, texts);
  const as = (more: Partial<Caller> = {}) => testCaller(org, more);
  return {
    org,
    project_id,
    write: (path: string, text: string, more: Partial<Caller> = {}) =>
      call('projects.WriteProjectFile', { project_id, path, file: Buffer.from(text) }, as(more)),
    remove: (path: string, more: Partial<Caller> = {}) => call('projects.DeleteProjectFile', { project_id, path }, as(more)),
    /** Texts, or the SHA-256 of contents that are there. */
    replace: (files: Record<string, string | { sha256: string }>, more: Partial<Caller> = {}) => {
      const sent = Object.entries(files).map(([path, file]) =>
        typeof file === 'string' ? { path, content: Buffer.from(file) } : { path, content: Buffer.alloc(0), ...file },
      );
      return call('projects.WriteDraft', { project_id, files: sent }, as(more));
    },
    draft: () => call('projects.GetDraft', { project_id }, as()),
    texts: () => textsOf(org, { project_id }),
    titles: async () => (await call('projects.ListRevisions', { project_id, offset: 0 }, as())).revisions.map(({ title }) => title),
  };
}

test('a file is added, changed and deleted, each as one revision that says so, and the same again is none', async () => {
  const { write, remove, texts, titles } = await project({ 'index.html': 'Hi' });
  const added = await write('a/b.css', 'a {}');
  expect(added).toMatchObject({ etag: `"${sha256('a {}')}"`, file: { path: 'a/b.css', size: 4, content_type: 'text/css; charset=utf-8' } });
  await write('a/b.css', 'a {}');
  await write('index.html', 'Hello');
  expect(await texts()).toEqual({ 'a/b.css': 'a {}', 'index.html': 'Hello' });
  expect(await remove('a/b.css')).toEqual({ deleted: true, path: 'a/b.css' });
  await expect(remove('a/b.css')).rejects.toEqual(refusal('file_not_found'));
  expect(await texts()).toEqual({ 'index.html': 'Hello' });
  expect(await titles()).toEqual(['Deleted a/b.css', 'Changed index.html', 'Added a/b.css', 'Files uploaded']);
});

test('If-Match names the state of one file: changes of other files do not matter', async () => {
  const { write, remove, texts } = await project({ 'index.html': 'Hi', 'b.txt': 'b' });
  const ifMatch = `"${sha256('Hi')}"`;
  await write('b.txt', 'changed');
  await write('index.html', 'Mine', { ifMatch });
  for (const late of [
    write('index.html', 'Late', { ifMatch }),
    remove('index.html', { ifMatch }),
    write('new.txt', 'n', { ifMatch: '*' }),
  ]) {
    await expect(late).rejects.toEqual(refusal('edited_meanwhile'));
  }
  expect(await texts()).toEqual({ 'index.html': 'Mine', 'b.txt': 'changed' });
});

test('files that are written at the same time are all there', async () => {
  const { write, texts, titles } = await project({ 'index.html': 'Hi' });
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => write(name, name)));
  expect(await texts()).toEqual({ 'index.html': 'Hi', a: 'a', b: 'b', c: 'c', d: 'd' });
  expect(await titles()).toHaveLength(5);
});

test.each(['../index.html', '/etc/passwd', 't.js', '_forms/contact', 'a\\b', 'a//b', ''])('the path %j is refused', async (path) => {
  const { write, texts } = await project({ 'index.html': 'Hi' });
  await expect(write(path, 'x')).rejects.toEqual(refusal('validation_failed'));
  expect(await texts()).toEqual({ 'index.html': 'Hi' });
});

test('a content that the draft or the live site has is named by its SHA-256, also at another path', async () => {
  const { org, project_id, replace, texts } = await project();
  await publish(org, project_id, { 'index.html': 'live', 'old.txt': 'old' });
  await replace({ 'index.html': 'draft' });
  const { files } = await replace({
    'index.html': { sha256: sha256('live') },
    'moved.css': { sha256: sha256('old') },
    'kept.txt': { sha256: sha256('draft') },
    'new.txt': 'new',
  });
  expect(await texts()).toEqual({ 'index.html': 'live', 'moved.css': 'old', 'kept.txt': 'draft', 'new.txt': 'new' });
  expect(files.find(({ path }) => path === 'moved.css')?.content_type).toBe('text/css; charset=utf-8');
});

test('a content of another project is missing: the files are named, and nothing changes', async () => {
  const { org, replace, draft, texts } = await project({ 'index.html': 'Hi' });
  const { id: other } = await newProject(org);
  await writeDraft(org, other, { 'index.html': 'theirs' });
  const before = await draft();
  await expect(replace({ 'index.html': 'New', 'a.txt': { sha256: sha256('theirs') } })).rejects.toMatchObject({
    code: 'contents_missing',
    details: [{ path: 'files.a.txt', message: expect.stringContaining('send it whole') }],
  });
  expect(await draft()).toEqual(before);
  expect(await texts()).toEqual({ 'index.html': 'Hi' });
});

test('If-Match names the state of the draft', async () => {
  const { replace, draft, texts } = await project({ 'index.html': 'one' });
  const { etag } = await draft();
  const written = await replace({ 'index.html': 'two' }, { ifMatch: etag });
  expect(written.etag).toBe((await draft()).etag);
  await expect(replace({ 'index.html': 'late' }, { ifMatch: etag })).rejects.toEqual(refusal('edited_meanwhile'));
  expect(await replace({ 'index.html': 'two' }, { ifMatch: written.etag })).toEqual(written);
  expect(await texts()).toEqual({ 'index.html': 'two' });
});

test('the draft says what publishing it would change for visitors, and when it was changed', async () => {
  const { org, project_id, replace, draft } = await project();
  expect(await draft()).toMatchObject({ draft: { files: 0, size: 0, up_to_date: true }, etag: '"none"' });
  expect((await draft()).draft?.revision_id).toBeUndefined();
  await replace({ 'index.html': 'one', 'a.txt': 'a', 'b.txt': 'b' });
  expect((await draft()).draft).toMatchObject({ up_to_date: false, added: { count: 3, paths: ['a.txt', 'b.txt', 'index.html'] } });
  const first = await publish(org, project_id);
  expect((await draft()).draft).toMatchObject({ up_to_date: true, added: none, changed: none, removed: none });
  const { draft: changed } = await replace({ 'index.html': 'two', 'a.txt': 'a', 'c.txt': 'c', 'webkiln.json': '{}' });
  expect(changed).toMatchObject({
    ...{ files: 4, up_to_date: false },
    added: { count: 1, paths: ['c.txt'] },
    changed: { count: 1, paths: ['index.html'] },
    removed: { count: 1, paths: ['b.txt'] },
  });
  expect(Date.parse(present(changed).changed_at ?? '')).toBeLessThanOrEqual(Date.now());
  await publish(org, project_id);
  await call('projects.RollBackDeploy', { project_id, deploy_id: first.deployId }, testCaller(org));
  expect((await draft()).draft).toMatchObject({ up_to_date: false, removed: { count: 1, paths: ['b.txt'] } });
});

test('of many changed files the first 20 are named', async () => {
  const { replace } = await project();
  const { draft } = await replace(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at + 10}.txt`, 'x'])));
  expect(draft?.added).toEqual({ count: 30, paths: Array.from({ length: 20 }, (_, at) => `${at + 10}.txt`) });
});
