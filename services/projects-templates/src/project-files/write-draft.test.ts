import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, newTemplate, operator, refusal, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

const megabyte = 1024 * 1024;
const countOf = (collection: string, org_id: string) => mongoose.connection.collection(collection).countDocuments({ org_id });

test('a write replaces the whole draft, and its files are listed by path', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await writeDraft(org, id, { 'index.html': 'old', 'gone.txt': 'gone' });
  const files = await writeDraft(org, id, { 'style.css': 'a {}', 'index.html': 'new', empty: '' });
  expect(files).toEqual([
    { path: 'empty', size: 0, sha256: expect.stringMatching(/^e3b0c442/), content_type: 'application/octet-stream' },
    { path: 'index.html', size: 3, sha256: expect.any(String), content_type: 'text/html; charset=utf-8' },
    { path: 'style.css', size: 4, sha256: expect.any(String), content_type: 'text/css; charset=utf-8' },
  ]);
  expect(await call('projects.ListProjectFiles', { project_id: id }, testCaller(org))).toEqual({ files });
  expect(await textsOf(org, { project_id: id })).toEqual({ empty: '', 'index.html': 'new', 'style.css': 'a {}' });
});

test('a project without a draft has no files', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  expect(await call('projects.ListProjectFiles', { project_id: id }, testCaller(org))).toEqual({ files: [] });
});

test.each(['nothing.html', '', 'index.html/', '../index.html', 'INDEX.HTML'])('%j is not a file of the draft', async (path) => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await expect(call('projects.GetProjectFile', { project_id: id, path }, testCaller(org))).rejects.toEqual(refusal('file_not_found'));
  await writeDraft(org, id, { 'index.html': 'Hi' });
  await expect(call('projects.GetProjectFile', { project_id: id, path }, testCaller(org))).rejects.toEqual(refusal('file_not_found'));
});

test('an API key cannot write drafts', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await expect(call('projects.WriteDraft', { project_id: id, files: [] }, testCaller(org))).rejects.toEqual(refusal('permission_missing'));
});

test.each(['../index.html', '/etc/passwd', 't.js', '_forms/contact', 'a\\b', 'a\0b', 'a//b'])(
  'the path %j is rejected by name, and nothing is stored',
  async (path) => {
    const org = randomUUID();
    const { id } = await newProject(org);
    await expect(writeDraft(org, id, { 'index.html': 'Hi', [path]: 'x' })).rejects.toMatchObject({
      code: 'validation_failed',
      details: [{ path }],
    });
    expect(await countOf('blob_chunks', org)).toBe(0);
  },
);

test('a write changes the project, a write of the same files does not', async () => {
  const org = randomUUID();
  const before = await newProject(org);
  const state = async () => call('projects.GetProject', { project_id: before.id }, testCaller(org));
  await writeDraft(org, before.id, { 'index.html': 'Hi' });
  const written = await state();
  expect(written.etag).toBe('"r2"');
  await writeDraft(org, before.id, { 'index.html': 'Hi' });
  expect(await state()).toEqual(written);
});

test('a file of 20 MB is read back byte for byte, and is stored in chunks of 512 KB', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  const content = Buffer.alloc(20 * megabyte, 'webkiln ');
  content.writeUInt32BE(42, 9 * megabyte);
  await call('projects.WriteDraft', { project_id: id, files: [{ path: 'big.bin', content }] }, operator(org));
  const reply = await call('projects.GetProjectFile', { project_id: id, path: 'big.bin' }, testCaller(org));
  expect(reply.file).toMatchObject({ path: 'big.bin', size: content.length });
  expect(content.equals(reply.content)).toBe(true);
  const chunks = await mongoose.connection
    .collection('blob_chunks')
    .find({ org_id: org }, { projection: { content: 1 } })
    .toArray();
  expect(chunks.map(({ content: chunk }) => chunk.length() / megabyte)).toEqual(Array(40).fill(0.5));
});

test('equal contents of drafts, templates and copies are stored once, and equal trees share a manifest', async () => {
  const org = randomUUID();
  const [one, two] = [await newProject(org), await newProject(org)];
  await writeDraft(org, one.id, { 'index.html': 'same', 'copy.html': 'same', 'own.html': 'one' });
  await writeDraft(org, two.id, { 'deep/index.html': 'same' });
  const template = await newTemplate(org, { source_project_id: one.id });
  const copy = await newProject(org, { template_id: template.id });
  await newTemplate(org, { source_project_id: copy.id });
  expect(await countOf('blob_chunks', org)).toBe(2);
  expect(await countOf('manifests', org)).toBe(2);
  await writeDraft(org, copy.id, { 'index.html': 'same', 'copy.html': 'same', 'own.html': 'changed' });
  expect(await countOf('blob_chunks', org)).toBe(3);
  expect(await textsOf(org, { template_id: template.id })).toMatchObject({ 'own.html': 'one' });
});

test('organizations share no stored content', async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  await writeDraft(org, (await newProject(org)).id, { 'index.html': 'same' });
  await writeDraft(other, (await newProject(other)).id, { 'index.html': 'same' });
  expect(await countOf('blob_chunks', org)).toBe(1);
  expect(await countOf('blob_chunks', other)).toBe(1);
});

test('of drafts written concurrently one wins as a whole', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => writeDraft(org, id, { 'one.html': text, 'two.html': text, shared: 'shared' })));
  const texts = await textsOf(org, { project_id: id });
  expect(texts).toEqual({ 'one.html': texts['two.html'], 'two.html': expect.stringMatching(/^[abcd]$/), shared: 'shared' });
});

test('a draft can have 2,000 files', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  const texts = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`page-${index}.html`, `page ${index}`]));
  expect(await writeDraft(org, id, texts)).toHaveLength(2000);
  expect(await writeDraft(org, id, { ...texts, 'page-7.html': 'changed' })).toHaveLength(2000);
  expect(await countOf('blob_chunks', org)).toBe(2001);
});
