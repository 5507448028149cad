import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type Caller, contentChunkBytes, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, newTemplate, operator, present, publish, refusal, sites, textsOf, writeDraft } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';

describe('project files', () => {
  useProjectsTemplates();

  describe('write draft', () => {
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
  });

  describe('export project', () => {
    /** A client's own project, and a call of its user. */
    async function ownProject(rights?: { can_export_code: boolean; can_use_custom_domain: boolean }) {
      const org = randomUUID();
      const client = fakeClient(org, rights && { rights });
      const { id } = await newProject(org, { client });
      await writeDraft(org, id, { 'index.html': 'Hi' });
      const { principal } = testCaller(org);
      const user = testCaller(org, { principal: { ...principal, kind: 'session', role: 'client', user_id: client.user_id } });
      return { org, id, user };
    }

    test('a client exports the code if its plan includes that, or without a plan; its agency always does', async () => {
      const [included, without, excluded] = await Promise.all([
        ownProject({ can_export_code: true, can_use_custom_domain: false }),
        ownProject(),
        ownProject({ can_export_code: false, can_use_custom_domain: true }),
      ]);
      for (const { id, user } of [included, without]) {
        const { content } = await call('projects.ExportProject', { project_id: id }, user);
        expect(content.subarray(0, 2).toString()).toBe('PK');
      }
      const { org, id, user } = excluded;
      await expect(call('projects.ExportProject', { project_id: id }, user)).rejects.toEqual(refusal('export_not_allowed'));
      expect((await call('projects.ExportProject', { project_id: id }, testCaller(org))).content.byteLength).toBeGreaterThan(0);
    });
  });

  describe('read contents', () => {
    const megabyte = 1024 * 1024;
    const content = randomBytes(9 * megabyte + 5);

    /** A project whose draft is one large file. */
    async function drafted(large: Buffer = content) {
      const org = randomUUID();
      const { id: project_id } = await newProject(org);
      const page = { path: 'index.html', content: Buffer.from('page') };
      const { files } = await call(
        'projects.WriteDraft',
        { project_id, files: [page, { path: 'large.bin', content: large }] },
        operator(org),
      );
      return { org, project_id, sha256: present(files[1]).sha256 };
    }

    const gateway = (org: string) => serviceCaller('gateway', org, 120_000);

    type Read = (offset: number, length: number) => Promise<{ content: Buffer }>;

    const offsets = Array.from({ length: Math.ceil(content.byteLength / contentChunkBytes) }, (_, part) => part * contentChunkBytes);

    /** Each part that begins there is read alone, and has the bytes of the content. */
    async function expectParts(read: Read, beginnings = offsets): Promise<void> {
      for (const offset of beginnings) {
        const expected = content.subarray(offset, offset + contentChunkBytes);
        expect((await read(offset, expected.byteLength)).content.equals(expected)).toBe(true);
      }
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

    test('a large file is read in parts of 512 KB, each with its own bytes', async () => {
      const { org, project_id, sha256 } = await drafted();
      for (const read of partsOf(org, sha256)) await expectParts(read);
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
      // The first part, the last one, and those on both sides of the border between the chunks: each reads all.
      const beginnings = [0, 8 * megabyte - contentChunkBytes, 8 * megabyte, offsets.at(-1) ?? 0];
      const isRead = async () => {
        for (const read of partsOf(org, sha256)) await expectParts(read, beginnings);
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
      for (const read of partsOf(org, sha256)) await expectParts(read, beginnings);
    });
  });
});

describe('write draft', () => {
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
    expect(added).toMatchObject({
      etag: `"${sha256('a {}')}"`,
      file: { path: 'a/b.css', size: 4, content_type: 'text/css; charset=utf-8' },
    });
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
});
