import { spawn } from 'node:child_process';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { AppError } from '@webkiln/contract';
import { watchOrgPolicies } from '@webkiln/org-policy';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller, until } from '@webkiln/store/testing';
import { contentType } from 'mime-types';
import mongoose from 'mongoose';
import { newProject, newTemplate, present, publish, sites, textsOf, writeDraft } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored, expireLeases, isStored, sweep } from '../testing/stored-files.ts';
import { storeChunks } from './chunk-store.ts';
import { encode, isCompressible } from './encode.ts';
import { fileTree, manifestIdOf } from './file-tree.ts';
import { startGarbageCollection } from './garbage-collection.ts';
import { storeFiles } from './store-files.ts';
import { expectRelease } from './stored-bytes.ts';
import { usedBytes } from './stored-bytes-store.ts';

describe('files', () => {
  useProjectsTemplates();

  describe('stored bytes', () => {
    const kb = 1024;

    beforeAll(() => {
      expectRelease(600_000);
      watchOrgPolicies('projects-templates', { QUOTA_STORED_BYTES: 100 * kb });
    });

    const text = (bytes: number) => randomBytes(bytes / 2).toString('hex');
    const used = async (org_id: string) => (await usedBytes({ org_id })).used;
    const chunks = () => mongoose.connection.collection<{ _id: string; org_id: string; content: Buffer }>('blob_chunks');
    const stored = async (org_id: string): Promise<number> => {
      const sum = { $group: { _id: null, bytes: { $sum: { $binarySize: '$content' } } } };
      const [row] = await chunks()
        .aggregate<{ bytes: number }>([{ $match: { org_id } }, sum])
        .toArray();
      return row?.bytes ?? 0;
    };
    const projectsOf = (org: string, count: number) => Promise.all(Array.from({ length: count }, () => newProject(org)));
    const refusals = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    const exceeded = expect.objectContaining({ code: 'quota_exceeded' });

    test('of 50 drafts written at once exactly as many are stored as there is room for; the rest is refused and stores nothing', async () => {
      const org = randomUUID();
      const projects = await projectsOf(org, 50);
      const outcomes = await Promise.allSettled(
        projects.map(({ id }) => writeDraft(org, id, { 'a.bin': text(6 * kb), 'b.bin': text(4 * kb) })),
      );
      expect(refusals(outcomes)).toEqual(Array(40).fill(exceeded));
      expect([await used(org), await stored(org)]).toEqual([100 * kb, 100 * kb]);
    });

    test('an upload whose caller waits no longer when its turn comes stores nothing', async () => {
      const org = randomUUID();
      const first = storeChunks({ org_id: org }, [[`${org}/first/0`, Buffer.alloc(5)]]);
      const late = storeChunks({ org_id: org, deadlineAt: Date.now() }, [[`${org}/late/0`, Buffer.alloc(7)]]);
      await expect(late).rejects.toMatchObject({ code: 'unavailable' });
      await first;
      expect([await used(org), await stored(org)]).toEqual([5, 5]);
    });

    test('the refusal names the quota, its limit, what is used and when unused files are released', async () => {
      const org = randomUUID();
      const [project] = await projectsOf(org, 1);
      await writeDraft(org, project?.id ?? '', { 'a.bin': text(99.5 * kb) });
      await expect(writeDraft(org, project?.id ?? '', { 'a.bin': text(kb) })).rejects.toMatchObject({
        details: [
          {
            path: 'stored_bytes',
            message:
              'your organization may have 100 KB and has 99.5 KB (files that nothing uses any more are released within 22 minutes); use less, or ask the operator of this platform for more',
          },
        ],
      });
    });

    test('clients who joined by a link store a tenth together, whose files make room again; the organization stores on', async () => {
      const org = randomUUID();
      const joinedProject = () => newProject(org, { client: fakeClient(org, { joined_by_link: true }) });
      const [own, ...joined] = await Promise.all([newProject(org), joinedProject(), joinedProject()]);
      const write = (project: { id: string } | undefined, bytes: number) => writeDraft(org, project?.id ?? '', { 'a.bin': text(bytes) });
      await write(joined[0], 6 * kb);
      await expect(write(joined[1], 6 * kb)).rejects.toMatchObject({
        code: 'quota_exceeded',
        details: [{ path: 'stored_bytes', message: expect.stringContaining('clients who joined by a link may have 10 KB together') }],
      });
      await write(own, 60 * kb);
      await write(joined[1], 4 * kb);
      expect(await usedBytes({ org_id: org })).toEqual({ used: 70 * kb, joined: 10 * kb });
      for (const { id } of joined) await call('projects.DeleteProject', { project_id: id }, testCaller(org));
      await collectAllGarbage();
      expect(await usedBytes({ org_id: org })).toEqual({ used: 60 * kb, joined: 0 });
    });

    test('equal contents count once for an organization, also when it is full, and for each organization', async () => {
      const [org, other] = [randomUUID(), randomUUID()];
      const same = { 'a.bin': text(100 * kb) };
      const projects = await projectsOf(org, 10);
      await Promise.all(projects.map(({ id }) => writeDraft(org, id, same)));
      expect(await used(org)).toBe(100 * kb);
      const [first] = projects;
      await writeDraft(org, first?.id ?? '', { 'renamed.bin': same['a.bin'] });
      const [foreign] = await projectsOf(other, 1);
      await writeDraft(other, foreign?.id ?? '', same);
      expect([await used(org), await used(other)]).toEqual([100 * kb, 100 * kb]);
    });

    test('publishes count the pages and compressed copies that visitors get, and what is refused leaves the site as it is', async () => {
      const org = randomUUID();
      const [{ id } = { id: '' }] = await projectsOf(org, 1);
      const page = { 'index.html': `<html><body>${text(10 * kb)}</body></html>` };
      await publish(org, id, page);
      expect(await used(org)).toBeGreaterThan(20 * kb);
      expect(await used(org)).toBe(await stored(org));
      await expect(publish(org, id, { 'index.html': 'new', 'large.bin': text(99 * kb) })).rejects.toEqual(exceeded);
      expect(await textsOf(org, { project_id: id })).toEqual(page);
      expect(await used(org)).toBe(await stored(org));
    });

    test('deleted files are released by the garbage collection, and make room for as much', async () => {
      const org = randomUUID();
      const [doomed, kept] = await projectsOf(org, 2);
      await writeDraft(org, doomed?.id ?? '', { 'a.bin': text(60 * kb) });
      await writeDraft(org, kept?.id ?? '', { 'a.bin': text(40 * kb) });
      await call('projects.DeleteProject', { project_id: doomed?.id ?? '' }, testCaller(org));
      await expect(writeDraft(org, kept?.id ?? '', { 'b.bin': text(60 * kb) })).rejects.toEqual(exceeded);
      await collectAllGarbage();
      expect([await used(org), await stored(org)]).toEqual([40 * kb, 40 * kb]);
      await writeDraft(org, kept?.id ?? '', { 'b.bin': text(60 * kb) });
      expect(await used(org)).toBe(100 * kb);
    });

    test('what is used is what is stored while drafts are written, deleted and swept at once', async () => {
      const org = randomUUID();
      for (let round = 0; round < 5; round++) {
        const projects = await projectsOf(org, 10);
        const writes = projects.map(({ id }, n) =>
          writeDraft(org, id, { 'a.bin': `${round} ${n % 3}`, 'b.bin': `${n}`, 'c.bin': text(2 * kb) }),
        );
        await Promise.all([...writes, sweep(), sweep()]);
        await Promise.all(projects.map(({ id }) => call('projects.DeleteProject', { project_id: id }, testCaller(org))));
        await expireLeases(org);
        await Promise.all([sweep(), sweep(), ...(await projectsOf(org, 5)).map(({ id }) => writeDraft(org, id, { 'b.bin': '1' }))]);
        expect(await used(org)).toBe(await stored(org));
      }
    });

    test('a chunk that another process stored meanwhile is not counted again, and the others are stored', async () => {
      const org_id = randomUUID();
      const [one, two] = [`${org_id}/one/0`, `${org_id}/two/0`];
      await storeChunks({ org_id }, [[one, Buffer.alloc(10)]]);
      await storeChunks({ org_id }, [
        [one, Buffer.alloc(10)],
        [two, Buffer.alloc(20)],
      ]);
      expect([await used(org_id), await stored(org_id)]).toEqual([30, 30]);
    });

    test('lists of many files count, with the paths in them, and make room again when they are released', async () => {
      const org = randomUUID();
      const [project] = await projectsOf(org, 1);
      const lists = async () => {
        const found = await mongoose.connection.collection<{ size?: number }>('manifests').find({ org_id: org }).toArray();
        return found.reduce((bytes, { size = 0 }) => bytes + size, 0);
      };
      const named = (from: number) => Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${'x'.repeat(300)}${from + n}.txt`, 'x']));
      await writeDraft(org, project?.id ?? '', named(0));
      expect(await used(org)).toBeGreaterThan(60 * 300);
      expect(await used(org)).toBe((await stored(org)) + (await lists()));
      const outcomes: unknown[] = [];
      for (let at = 100; at < 600; at += 100)
        outcomes.push(await writeDraft(org, project?.id ?? '', named(at)).catch((error: unknown) => error));
      expect(outcomes.at(-1)).toEqual(exceeded);
      expect(await used(org)).toBe((await stored(org)) + (await lists()));
      await call('projects.DeleteProject', { project_id: project?.id ?? '' }, testCaller(org));
      await collectAllGarbage();
      expect([await used(org), await lists()]).toEqual([0, 0]);
    });

    test('four publishes of 1,999 one-byte files with long paths do not fit where their bytes do', async () => {
      const org = randomUUID();
      const [project] = await projectsOf(org, 1);
      const files = (from: number) =>
        Object.fromEntries(Array.from({ length: 1_999 }, (_, n) => [n === 0 ? 'index.html' : `${'x'.repeat(300)}${from + n}`, 'x']));
      const outcomes = await Promise.allSettled([0, 1, 2, 3].map((n) => publish(org, project?.id ?? '', files(n * 10_000))));
      expect(refusals(outcomes)).toEqual(Array(4).fill(exceeded));
    });

    test('files of earlier versions are counted once, however many sweeps count them', async () => {
      const [org, fresh] = [randomUUID(), randomUUID()];
      const earlier = Array.from({ length: 250 }, (_, n) => ({ _id: `${org}/${n}/0`, org_id: org, content: Buffer.alloc(n) }));
      await chunks().insertMany(earlier);
      await storeChunks({ org_id: fresh }, [[`${fresh}/a/0`, Buffer.alloc(5)]]);
      await Promise.all([sweep(), sweep(), storeChunks({ org_id: org }, [[`${org}/new/0`, Buffer.alloc(7)]])]);
      await sweep();
      expect([await used(org), await used(fresh)]).toEqual([(249 * 250) / 2 + 7, 5]);
    });
  });

  describe('stored bytes crash', () => {
    const bytes = 4_096;
    const chunks = () =>
      mongoose.connection.collection<{ _id: string; org_id: string; held_at: Date; content: { length: () => number } }>('blob_chunks');
    const stored = async (org_id: string): Promise<number> => {
      const found = await chunks().find({ org_id }).toArray();
      return found.reduce((sum, { content }) => sum + content.length(), 0);
    };

    async function killed(org_id: string, CHUNK_ID: string, ACTION: string, MOMENT: string): Promise<void> {
      const settings = { DATABASE: mongoose.connection.name, ORG_ID: org_id, CHUNK_ID, CHUNK_BYTES: `${bytes}`, ACTION, MOMENT };
      const dying = spawn(process.execPath, [require.resolve('../testing/dying-storage.ts')], { env: { ...process.env, ...settings } });
      expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);
    }

    const moments = [
      ['between', 'between the count and the chunks', 0],
      ['uncommitted', 'before both are committed', 0],
      ['committed', 'after both are committed', 1],
    ] as const;

    test.each(moments)('an upload whose process is killed (%s: %s) leaves as many bytes counted as stored', async (moment, _, uploads) => {
      const org_id = randomUUID();
      await storeChunks({ org_id }, [[`${org_id}/before/0`, new Uint8Array(bytes)]]);
      await killed(org_id, `${org_id}/new/0`, 'store', moment);
      expect([(await usedBytes({ org_id })).used, await stored(org_id)]).toEqual(Array(2).fill((1 + uploads) * bytes));
    });

    test.each(moments)(
      'a collection of garbage whose process is killed (%s: %s) leaves as many bytes counted as stored',
      async (moment, _, deletions) => {
        const org_id = randomUUID();
        const _id = `${org_id}/old/0`;
        await storeChunks({ org_id }, [
          [_id, new Uint8Array(bytes)],
          [`${org_id}/kept/0`, new Uint8Array(bytes)],
        ]);
        const heldAt = (await chunks().findOne({ _id }))?.held_at.getTime();
        await killed(org_id, _id, `${heldAt}`, moment);
        expect([(await usedBytes({ org_id })).used, await stored(org_id)]).toEqual(Array(2).fill((2 - deletions) * bytes));
      },
    );
  });

  describe('tracked pages', () => {
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

    const hashTable = (algorithm: string, encoding: 'hex' | 'base64') => hash(algorithm, page, encoding);

    test.each([
      ['ngsw.json', JSON.stringify({ hashTable: { '/index.html': hashTable('sha1', 'hex') } })],
      [
        'app/service-worker-assets.js',
        `self.assetsManifest = {assets:[{hash:"sha256-${hashTable('sha256', 'base64')}",url:"index.html"}]}`,
      ],
    ])('a page whose hash %s states keeps its bytes, other pages do not', async (list, content) => {
      const { sent } = await publishedSite({ 'index.html': page, 'about.html': page.replace('Hello', 'About'), [list]: content });
      expect((await sent('index.html')).toString()).toBe(page);
      expect((await sent('about.html')).toString()).toContain('/t.js');
    });

    test('a project without the tracker is published as it is, and with it again once that is set', async () => {
      const { org, id, sent } = await publishedSite({ 'index.html': page });
      const set = (insert_tracker: boolean) =>
        call('projects.UpdateProject', { project_id: id, insert_tracker, update_mask: ['insert_tracker'] }, testCaller(org));
      expect((await sent('index.html')).toString()).toBe(tracked);
      const sizes = [];
      for (const insertTracker of [false, true]) {
        const { project } = await set(insertTracker);
        const { files } = await call('sites.ResolveSite', { name: present(present((await publish(org, id)).project).subdomain) }, sites());
        sizes.push([present(project).insert_tracker, files[0]?.size]);
      }
      expect(sizes).toEqual([
        [false, page.length],
        [true, tracked.length],
      ]);
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
      // Manifests of the deploy and the draft. Chunks: the original page, and the tracked page plain and in two
      // encodings.
      expect(await countStored(org)).toEqual({ manifests: 2, chunks: 4, leased: 0 });
      expect((await sent('copy.html', 'br')).byteLength).toBeGreaterThan(0);
    });
  });
});

describe('file tree', () => {
  describe('file tree', () => {
    const file = (path: string, content = path) => ({ path, content: Buffer.from(content) });

    const refusal = (tree: Promise<unknown>) =>
      tree.then(
        () => undefined,
        (error) => {
          if (error instanceof AppError) return { code: error.code, details: error.details };
          throw error;
        },
      );

    test('a tree lists its files by path with size, SHA-256 and content type', async () => {
      expect(await fileTree([file('index.html', '<h1>Hi</h1>'), file('a/logo.SVG', ''), file('LICENSE', 'x')])).toEqual([
        { path: 'LICENSE', size: 1, sha256: expect.stringMatching(/^2d711642/), content_type: 'text/plain; charset=utf-8' },
        { path: 'a/logo.SVG', size: 0, sha256: expect.stringMatching(/^e3b0c442/), content_type: 'image/svg+xml' },
        { path: 'index.html', size: 11, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), content_type: 'text/html; charset=utf-8' },
      ]);
    });

    test('the error names an invalid path', async () => {
      expect(await refusal(fileTree([file('index.html'), file('../a')]))).toEqual({
        code: 'validation_failed',
        details: [{ path: '../a', message: expect.stringContaining('normalised') }],
      });
    });

    test('the error names the beginning of a very long path', async () => {
      expect(await refusal(fileTree([file('x'.repeat(100_000))]))).toMatchObject({
        details: [{ path: 'x'.repeat(200), message: expect.anything() }],
      });
    });

    test('a path given twice is rejected', async () => {
      expect(await refusal(fileTree([file('a'), file('a', 'other')]))).toMatchObject({
        details: [{ path: 'a', message: 'is given twice' }],
      });
    });

    test.each([
      ['docs', 'docs/index.html'],
      ['a/b', 'a/b/c/d'],
    ])('a file %s beside %s is rejected: no folder can hold both', async (both, below) => {
      const tree = fileTree([file('index.html'), file(both), file(`${both}-x`), file(`${both}.html`), file(below)]);
      expect(await refusal(tree)).toMatchObject({ details: [{ path: both, message: 'is a file and a folder at once' }] });
    });

    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    test.each<[string, Buffer | string, string]>([
      ['LICENSE', 'Copyright', 'text/plain; charset=utf-8'],
      ['empty', '', 'application/octet-stream'],
      ['.well-known/acme-challenge/token', 'a.b', 'text/plain; charset=utf-8'],
      ['.well-known/apple-app-site-association', ' {"applinks":{}}', 'application/json; charset=utf-8'],
      ['.well-known/proof.unknown', 'proof', 'text/plain; charset=utf-8'],
      ['about', '<!DOCTYPE html><p>Hi', 'text/html; charset=utf-8'],
      ['list', '[broken', 'text/plain; charset=utf-8'],
      ['binary', Buffer.from([0, 1, 2]), 'application/octet-stream'],
      ['data.unknown', 'text', 'application/octet-stream'],
      ['a.cjs', 'x', 'text/javascript; charset=utf-8'],
      ['a.mjs', 'x', 'text/javascript; charset=utf-8'],
      ['a.svgz', Buffer.from([0x1f, 0x8b]), 'image/svg+xml'],
      ['a.webmanifest', '{}', 'application/manifest+json; charset=utf-8'],
      ['a.woff2', 'x', 'font/woff2'],
      ['a.html', '<meta charset=utf-8>ü', 'text/html; charset=utf-8'],
      ['a.html', '<p>ü', 'text/html; charset=utf-8'],
      ['a.html', latin1('<meta charset="iso-8859-1"><p>ü'), 'text/html'],
      ['a.html', '<META content="text/html; charset=windows-1252" http-equiv=Content-Type><p>a', 'text/html'],
      ['a.html', '\ufeff<meta charset=latin1>ü', 'text/html; charset=utf-8'],
      ['a.html', Buffer.from('\ufeff<p>a', 'utf16le'), 'text/html'],
      ['a.css', latin1('@charset "latin1"; a { content: "ü" }'), 'text/css'],
      ['a.js', latin1('"ü"'), 'text/javascript'],
    ])('%s with %j is %s', async (path, content, type) => {
      expect(await fileTree([{ path, content: Buffer.from(content as string) }])).toMatchObject([{ content_type: type }]);
    });

    test('2,000 files are accepted, 2,001 are not', async () => {
      const files = Array.from({ length: 2001 }, (_, index) => file(`page-${index}.html`, ''));
      expect(await fileTree(files.slice(1))).toHaveLength(2000);
      expect(await refusal(fileTree(files))).toMatchObject({ code: 'validation_failed' });
    });

    test('25 MB are accepted, one byte more is not', async () => {
      const half = { path: 'a.bin', content: new Uint8Array(12.5 * 1024 * 1024) };
      expect(await fileTree([half, { ...half, path: 'b.bin' }])).toHaveLength(2);
      expect(await refusal(fileTree([half, { ...half, path: 'b.bin' }, file('c', 'x')]))).toMatchObject({ code: 'validation_failed' });
    });

    test('equal trees of one organization have the same id, in any order of their files', async () => {
      const tree = await fileTree([file('a'), file('b')]);
      expect(manifestIdOf('org', await fileTree([file('b'), file('a')]))).toBe(manifestIdOf('org', tree));
      expect(manifestIdOf('other', tree)).not.toBe(manifestIdOf('org', tree));
      expect(manifestIdOf('org', await fileTree([file('a'), file('b', 'changed')]))).not.toBe(manifestIdOf('org', tree));
    });
  });

  describe('encode', () => {
    const size = 10_000;
    const typeOf = (extension: string) => contentType(extension) || 'application/octet-stream';

    test.each([
      'html',
      'css',
      'js',
      'mjs',
      'json',
      'svg',
      'xml',
      'txt',
      'md',
      'wasm',
      'webmanifest',
      'ttf',
      'otf',
      'eot',
      'ico',
      'map',
      'rss',
    ])('.%s is compressible', (extension) => {
      expect(isCompressible({ content_type: typeOf(extension), size })).toBe(true);
    });

    test.each(['png', 'jpg', 'webp', 'avif', 'woff', 'woff2', 'mp4', 'zip', 'gz', 'pdf', 'unknown'])(
      '.%s is not compressible',
      (extension) => {
        expect(isCompressible({ content_type: typeOf(extension), size })).toBe(false);
      },
    );

    test('a tiny file is not compressible', () => {
      expect(isCompressible({ content_type: 'text/html; charset=utf-8', size: 100 })).toBe(false);
    });

    test.each([1000, 300_000])('text of %d words decodes to itself', async (words) => {
      const content = Buffer.from('hello '.repeat(words));
      const [brotli, zipped] = [await encode(content, 'br'), await encode(content, 'gzip')];
      expect(brotliDecompressSync(brotli ?? '').equals(content)).toBe(true);
      expect(gunzipSync(zipped ?? '').equals(content)).toBe(true);
    });

    test('a content that does not get smaller, or not small enough for one chunk, is not encoded', async () => {
      // Base64 of random bytes compresses by a quarter, random bytes do not.
      for (const content of [randomBytes(10_000), Buffer.from(randomBytes(9 * 1024 * 1024).toString('base64'))]) {
        for (const encoding of ['br', 'gzip'] as const) expect(await encode(content, encoding)).toBeUndefined();
      }
    });
  });
});

describe('garbage collection', () => {
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
});
