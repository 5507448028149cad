import { randomBytes, randomUUID } from 'node:crypto';
import { callerFor, contentChunkBytes, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, operator, present, publish, refusal, sites } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';

useProjectsTemplates();

const megabyte = 1024 * 1024;
const content = randomBytes(9 * megabyte + 5);

/** A project whose draft is one large file. */
async function drafted(large: Buffer = content) {
  const org = randomUUID();
  const { id: project_id } = await newProject(org);
  const page = { path: 'index.html', content: Buffer.from('page') };
  const { files } = await call('projects.WriteDraft', { project_id, files: [page, { path: 'large.bin', content: large }] }, operator(org));
  return { org, project_id, sha256: present(files[1]).sha256 };
}

const gateway = (org: string) => callerFor(servicePrincipal('gateway', org), { timeoutMs: 120_000 });

type Read = (offset: number, length: number) => Promise<{ content: Buffer }>;

async function readInParts(read: Read): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < content.byteLength; offset += contentChunkBytes) {
    const part = await read(offset, Math.min(contentChunkBytes, content.byteLength - offset));
    expect(part.content.byteLength).toBeLessThanOrEqual(contentChunkBytes);
    parts.push(part.content);
  }
  return Buffer.concat(parts);
}

/** Stores the content of a draft as earlier versions did: in chunks of 8 MB, of which manifests list no others. */
async function storeAsEarlier({ org, sha256 }: { org: string; sha256: string }): Promise<void> {
  const chunks = mongoose.connection.collection<{ _id: string; org_id: string; content: Buffer; held_at: Date }>('blob_chunks');
  await chunks.deleteMany({ _id: { $gte: `${org}/${sha256}/`, $lt: `${org}/${sha256}0` } });
  const ids = [0, 1].map((index) => `${org}/${sha256}/${index}`);
  for (const [index, _id] of ids.entries()) {
    const part = content.subarray(index * 8 * megabyte, (index + 1) * 8 * megabyte);
    await chunks.insertOne({ _id, org_id: org, content: part, held_at: new Date() });
  }
  const manifests = mongoose.connection.collection('manifests');
  const { chunks: listed = [] } = present(await manifests.findOne({ org_id: org })) as { chunks?: string[] };
  const others = listed.filter((id) => !id.startsWith(`${org}/${sha256}/`));
  await manifests.updateMany({ org_id: org }, { $set: { chunks: [...others, ...ids] } });
}

const partsOf = (org: string, sha256: string): readonly Read[] => [
  (offset, length) => call('projects.ReadContent', { sha256, offset, length }, gateway(org)),
  (offset, length) => call('sites.GetSiteContent', { org_id: org, sha256, encoding: '', offset, length }, sites()),
];

test('a large file is read in parts of at most 512 KB, which are byte-equal together', async () => {
  const { org, project_id, sha256 } = await drafted();
  for (const read of partsOf(org, sha256)) expect((await readInParts(read)).equals(content)).toBe(true);
  const request = { project_id, path: 'large.bin', max_bytes: contentChunkBytes };
  const beginning = await call('projects.GetProjectFile', request, testCaller(org));
  expect(beginning.file).toMatchObject({ size: content.byteLength });
  expect(beginning.content.equals(content.subarray(0, contentChunkBytes))).toBe(true);
});

test('a content is not read for another organization, nor beyond its end', async () => {
  const { org, sha256 } = await drafted();
  const read = (of: string, offset: number) => call('projects.ReadContent', { sha256, offset, length: 10 }, gateway(of));
  await expect(read(randomUUID(), 0)).rejects.toEqual(refusal('file_not_found'));
  await expect(read(org, content.byteLength + contentChunkBytes)).rejects.toEqual(refusal('file_not_found'));
});

test('a part of an encoded content comes with the size of all of it', async () => {
  const text = Buffer.from(randomBytes(megabyte).toString('hex'));
  const { org, project_id } = await drafted(text);
  const { project } = await publish(org, project_id, { 'index.html': 'page', 'large.txt': text.toString() });
  const { files } = await call('sites.ResolveSite', { name: present(present(project).subdomain) }, sites());
  const { sha256 } = present(files.find(({ path }) => path === 'large.txt'));
  const part = (offset: number, length: number) =>
    call('sites.GetSiteContent', { org_id: org, sha256, encoding: 'br', offset, length }, sites());
  const whole = await part(0, 0);
  expect(whole.size).toBe(whole.content.byteLength);
  const [first, second] = [await part(0, contentChunkBytes), await part(contentChunkBytes, contentChunkBytes)];
  expect([first.size, second.size]).toEqual([whole.size, whole.size]);
  expect(Buffer.concat([first.content, second.content]).equals(whole.content.subarray(0, 2 * contentChunkBytes))).toBe(true);
});

test('contents that earlier versions stored in chunks of 8 MB are read, published and kept as they are', async () => {
  const draft = await drafted();
  const { org, project_id, sha256 } = draft;
  await storeAsEarlier(draft);
  const isRead = async () => {
    for (const read of partsOf(org, sha256)) expect((await readInParts(read)).equals(content)).toBe(true);
    const { content: whole } = await call('projects.GetProjectFile', { project_id, path: 'large.bin' }, testCaller(org));
    expect(whole.equals(content)).toBe(true);
  };
  await isRead();
  await publish(org, project_id);
  await call('projects.WriteDraft', { project_id, files: [{ path: 'copy.bin', content }] }, operator(org));
  await collectAllGarbage();
  // The page, its tracked form if it has one, and both chunks of the large file.
  const { chunks } = await countStored(org);
  expect(chunks).toBe(3);
  expect((await call('projects.GetProjectFile', { project_id, path: 'copy.bin' }, testCaller(org))).content.equals(content)).toBe(true);
  for (const read of partsOf(org, sha256)) expect((await readInParts(read)).equals(content)).toBe(true);
});
