import { randomBytes, randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from '@webkiln/rpc';
import mongoose from 'mongoose';
import { newProject, present, publish, sites, textsOf } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { settle, storedOf } from '../testing/stored-files.ts';

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

test('visitors get pages that count visits, as they are and compressed; size and SHA-256 are theirs', async () => {
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

test('the draft that is published, and published again, counts visits once', async () => {
  const { org, id } = await publishedSite({ 'index.html': page });
  const { project } = await publish(org, id);
  await publish(org, id);
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  expect(files).toMatchObject([{ size: tracked.length }]);
});

test('a page that is left alone is sent with its own bytes', async () => {
  const out = page.replace('<title>', '<meta name="webkiln:analytics" content="off"><title>');
  const { files, sent } = await publishedSite({ 'index.html': out, 'proof.html': 'site-verification: 1' });
  expect((await sent('index.html')).toString()).toBe(out);
  expect(files).toMatchObject([{ size: out.length }, { size: 20 }]);
});

test('a deploy from before there was a tracker is sent as it was published', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
  const { project } = await publish(org, id, { 'index.html': page });
  await mongoose.connection.collection('manifests').updateMany({ org_id: org }, { $unset: { shown: true } });
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  expect(files).toMatchObject([{ size: page.length }]);
});

test('what is sent stays as long as its deploy, and goes with it', async () => {
  const { org, sent } = await publishedSite({ 'index.html': page, 'copy.html': page });
  await settle();
  // Of the deploy the page as it was published, as it is sent, and that in two encodings; the draft has the first of them.
  expect(await storedOf(org)).toEqual({ manifests: 2, chunks: 4, held: 0 });
  expect((await sent('copy.html', 'br')).byteLength).toBeGreaterThan(0);
});
