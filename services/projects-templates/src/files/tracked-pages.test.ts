import { randomBytes, randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { newProject, present, publish, sites, textsOf } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';

useProjectsTemplates();

const page = `<!doctype html><html><head><title>a</title></head><body>${'<p>Hello</p>'.repeat(100)}</body></html>`;
const tracked = page
  .replace('</head>', '<script defer src="/t.js"></script></head>')
  .replace('</body>', '<noscript><img src="/t.gif" alt="" hidden></noscript></body>');

async function publishedSite(texts: Record<string, string>) {
  const org = randomUUID();
  const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
  const { project } = await publish(org, id, texts);
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  const sent = async (path: string, encoding = '') => {
    const { sha256 } = present(files.find((file) => file.path === path));
    return (await call('sites.GetSiteContent', { org_id: org, sha256, encoding }, sites())).content;
  };
  return { org, id, files, sent };
}

test('visitors get tracked pages, plain and compressed, with the size and SHA-256 of the tracked page', async () => {
  const { org, id, files, sent } = await publishedSite({ 'index.html': page, 'same.txt': page });
  expect((await sent('index.html')).toString()).toBe(tracked);
  expect(brotliDecompressSync(await sent('index.html', 'br')).toString()).toBe(tracked);
  expect(gunzipSync(await sent('index.html', 'gzip')).toString()).toBe(tracked);
  const [index, text] = files;
  expect(index).toMatchObject({ path: 'index.html', size: tracked.length, encodings: ['br', 'gzip'] });
  expect(text?.sha256).not.toBe(index?.sha256);
  expect((await sent('same.txt')).toString()).toBe(page);
  expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': page, 'same.txt': page });
});

test('a draft that is published twice has one tracker', async () => {
  const { org, id } = await publishedSite({ 'index.html': page });
  const { project } = await publish(org, id);
  await publish(org, id);
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  expect(files).toMatchObject([{ size: tracked.length }]);
});

test('a page that gets no tracker is sent unchanged', async () => {
  const out = page.replace('<title>', '<meta name="webkiln:analytics" content="off"><title>');
  const { files, sent } = await publishedSite({ 'index.html': out, 'proof.html': 'site-verification: 1' });
  expect((await sent('index.html')).toString()).toBe(out);
  expect(files).toMatchObject([{ size: out.length }, { size: 20 }]);
});

test('a deploy that is older than the tracker is sent unchanged', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
  const { project } = await publish(org, id, { 'index.html': page });
  await mongoose.connection.collection('manifests').updateMany({ org_id: org }, { $unset: { shown: true } });
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  expect(files).toMatchObject([{ size: page.length }]);
});

test('garbage collection keeps the tracked pages of a deploy', async () => {
  const { org, sent } = await publishedSite({ 'index.html': page, 'copy.html': page });
  await collectAllGarbage();
  // Manifests of the deploy and the draft. Chunks: the original page, and the tracked page plain and in two encodings.
  expect(await countStored(org)).toEqual({ manifests: 2, chunks: 4, leased: 0 });
  expect((await sent('copy.html', 'br')).byteLength).toBeGreaterThan(0);
});
