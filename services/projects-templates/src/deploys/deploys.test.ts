import { randomBytes, randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { storeSite } from '../files/site-files.ts';
import { siteAddressesAt } from '../projects/project.ts';
import {
  analytics,
  newProject,
  newTemplate,
  operator,
  present,
  publish,
  refusal,
  repeatable,
  sites,
  textsOf,
  visitedTexts,
  writeDraft,
} from '../testing/calls.ts';
import { previewOrigin, sitesOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { publishProject } from './publish-project.ts';
import { siteName } from './site-name.ts';

describe('deploys', () => {
  const stream = useProjectsTemplates();

  describe('publish project', () => {
    /** A name that no other test run uses. */
    const unique = () => `Site ${randomBytes(6).toString('hex')}`;
    const deploysOf = async (org: string, project_id: string) =>
      (await call('projects.ListDeploys', { project_id, offset: 0 }, testCaller(org))).deploys;

    test('a published project is live under its name with all its files, and its event is published once', async () => {
      const org = randomUUID();
      const name = unique();
      const project = await newProject(org, { name });
      const texts = { 'index.html': '<h1>Hi</h1>', 'über uns/größe.html': 'big', 'empty.txt': '' };
      const answer = await publish(org, project.id, texts);
      const subdomain = name.toLowerCase().replace(' ', '-');
      expect(answer).toMatchObject({ url: `https://${subdomain}.sites.example.net`, status: 'ready' });
      expect(answer.project).toMatchObject({ id: project.id, subdomain, published_url: answer.url, last_published_at: expect.any(String) });
      const read = await call('projects.GetProject', { project_id: project.id }, testCaller(org));
      expect(read).toEqual({ project: answer.project, etag: answer.etag });
      expect(await visitedTexts(subdomain)).toEqual(texts);
      expect(await deploysOf(org, project.id)).toMatchObject([{ id: answer.deployId, live: true, files: 3, size: 14 }]);
      expect((await publishedEvents(stream, org)).slice(1)).toMatchObject([
        { type: 'project.published', data: { project: { id: project.id, published_url: answer.url } } },
        { type: 'internal.site.changed', data: { project_id: project.id, name: subdomain } },
      ]);
    });

    test('the picture of links to a site is at its own address, also where another site has its plain name', async () => {
      const org = randomUUID();
      const name = unique();
      const page = '<!doctype html><html><head><meta property="og:image" content="/a.png"></head><body>a</body></html>';
      const [first, second] = [await newProject(org, { name }), await newProject(org, { name })];
      for (const { id } of [first, second]) {
        const { url, project } = await publish(org, id, { 'index.html': page });
        const visited = await visitedTexts(present(present(project).subdomain));
        expect(present(visited)['index.html']).toContain(`content="${url}/a.png"`);
        expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': page });
      }
    });

    test('published files become the draft, so that a publish of the draft leaves them live', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      await writeDraft(org, id, { 'index.html': 'draft' });
      for (const version of ['v1', 'v2']) {
        await publish(org, id, { 'index.html': version });
        expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': version });
      }
      const { project } = await publish(org, id);
      expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'v2' });
      const template = await newTemplate(org, { source_project_id: id });
      expect(await textsOf(org, { template_id: template.id })).toEqual({ 'index.html': 'v2' });
    });

    test('a publish that keeps the draft leaves it as it is; a project without a draft gets the files', async () => {
      const org = randomUUID();
      const [empty, drafted] = [await newProject(org, { name: unique() }), await newProject(org, { name: unique() })];
      await writeDraft(org, drafted.id, { 'index.html': 'draft' });
      for (const { id } of [empty, drafted]) await publish(org, id, { 'index.html': 'published' }, { draft: 'keep' });
      expect(await textsOf(org, { project_id: empty.id })).toEqual({ 'index.html': 'published' });
      expect(await textsOf(org, { project_id: drafted.id })).toEqual({ 'index.html': 'draft' });
    });

    test('a publish without files publishes the draft', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      await writeDraft(org, id, { 'index.html': 'draft', 'a/b.css': 'c'.repeat(1000) });
      const { project } = await publish(org, id);
      expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'draft', 'a/b.css': 'c'.repeat(1000) });
    });

    test('an empty project cannot be published', async () => {
      const org = randomUUID();
      const { id } = await newProject(org);
      await expect(publish(org, id)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'index.html' }] });
      expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
    });

    test.each([
      ['a path that climbs', { 'index.html': 'new', '../secret': 'x' }, '../secret'],
      ['a path that climbs in the middle', { 'index.html': 'new', 'a/../../b': 'x' }, 'a/../../b'],
      ['an absolute path', { 'index.html': 'new', '/etc/passwd': 'x' }, '/etc/passwd'],
      ['a path of another system', { 'index.html': 'new', 'a\\b': 'x' }, 'a\\b'],
      ['a path that breaks a header', { 'index.html': 'new', 'a\r\nSet-Cookie: b': 'x' }, 'a\r\nSet-Cookie: b'],
      ['a reserved path', { 'index.html': 'new', 't.js': 'x' }, 't.js'],
      ['a reserved folder', { 'index.html': 'new', '_forms/contact': 'x' }, '_forms/contact'],
      ['no index.html', { 'about.html': 'new' }, 'index.html'],
    ])('%s is rejected by name: nothing is stored, and the old site stays live', async (_, texts, path) => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      const { project, deployId } = await publish(org, id, { 'index.html': 'old' });
      const before = await countStored(org);
      await expect(publish(org, id, texts)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path }] });
      expect(await countStored(org)).toEqual(before);
      expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'old' });
      expect(await deploysOf(org, id)).toMatchObject([{ id: deployId, live: true }]);
    });

    test('2,000 files and 25 MB are published; 2,001, or one byte more, are not', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      const pages = Object.fromEntries(Array.from({ length: 1999 }, (_, index) => [`page-${index}.html`, 'same']));
      const large = randomBytes(25 * 1024 * 1024 - 1);
      const publishLarge = (content: Buffer) => {
        const builtFiles = [
          { path: 'index.html', content: Buffer.from('x') },
          { path: 'large.bin', content },
        ];
        return call('projects.PublishProject', { project_id: id, builtFiles }, testCaller(org));
      };
      expect(await publish(org, id, { 'index.html': 'x', ...pages })).toMatchObject({ status: 'ready' });
      await expect(publish(org, id, { 'index.html': 'x', ...pages, more: '' })).rejects.toEqual(refusal('validation_failed'));
      const { deployId } = await publishLarge(large);
      await expect(publishLarge(Buffer.concat([large, Buffer.from('x')]))).rejects.toEqual(refusal('validation_failed'));
      expect(await deploysOf(org, id)).toMatchObject([
        { id: deployId, live: true, files: 2, size: 25 * 1024 * 1024 },
        { live: false, files: 2000 },
      ]);
    });

    test('concurrent publishes are a deploy and an event each, and one of them is live as a whole', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      const rounds = ['a', 'b', 'c', 'd', 'e'];
      const answers = await Promise.all(rounds.map((round) => publish(org, id, { 'index.html': round, [`${round}.html`]: round })));
      const deploys = await deploysOf(org, id);
      expect(new Set(deploys.map((deploy) => deploy.id))).toEqual(new Set(answers.map(({ deployId }) => deployId)));
      expect(deploys.map(({ live }) => live)).toEqual([true, false, false, false, false]);
      const liveRound = present(rounds[answers.findIndex(({ deployId }) => deployId === deploys[0]?.id)]);
      expect(await visitedTexts(present(answers[0]?.project?.subdomain))).toEqual({
        'index.html': liveRound,
        [`${liveRound}.html`]: liveRound,
      });
      const events = (await publishedEvents(stream, org)).filter(({ type }) => type === 'project.published');
      expect(events).toHaveLength(rounds.length);
    });

    test('a retry after a lost reply returns the first deploy and publishes no further event', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      const caller = testCaller(org, repeatable(`key ${org}`));
      const request = { project_id: id, builtFiles: [{ path: 'index.html', content: Buffer.from('once') }] };
      const useCase = publishProject(siteAddressesAt(sitesOrigin, previewOrigin));
      const first = await useCase.run(request, caller);
      expect(await useCase.run(request, caller)).toEqual(first);
      expect(await deploysOf(org, id)).toHaveLength(1);
      expect((await publishedEvents(stream, org)).filter(({ type }) => type === 'project.published')).toHaveLength(1);
    });

    test("another organization's project and an unknown project are not found", async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: unique() });
      for (const [caller, project] of [
        [randomUUID(), id],
        [org, randomUUID()],
      ] as const) {
        await expect(publish(caller, project, { 'index.html': 'x' })).rejects.toEqual(refusal('project_not_found'));
      }
    });
  });

  describe('deploys', () => {
    const text = (word: string) => `${word} `.repeat(200);
    const deploysOf = (org: string, project_id: string, page: { limit?: number; offset: number } = { offset: 0 }) =>
      call('projects.ListDeploys', { project_id, ...page }, testCaller(org));
    const rollBack = (org: string, project_id: string, deploy_id: string) =>
      call('projects.RollBackDeploy', { project_id, deploy_id }, testCaller(org));

    /** A published project with one deploy per word, oldest first. `name` is its subdomain. */
    async function deployed(org: string, words: readonly string[]) {
      const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
      const answers = [];
      for (const word of words) answers.push(await publish(org, id, { 'index.html': text(word) }));
      return { id, name: present(answers[0]?.project?.subdomain), deployIds: answers.map(({ deployId }) => deployId) };
    }

    test('a rollback makes any kept deploy live; it publishes an internal event and no webhook event', async () => {
      const org = randomUUID();
      const { id, name, deployIds } = await deployed(org, ['one', 'two']);
      const [one = '', two = ''] = deployIds;
      expect(await rollBack(org, id, one)).toMatchObject({ deployId: one, status: 'ready', project: { subdomain: name } });
      expect(await visitedTexts(name)).toEqual({ 'index.html': text('one') });
      expect((await deploysOf(org, id)).deploys).toMatchObject([
        { id: two, live: false },
        { id: one, live: true },
      ]);
      await rollBack(org, id, one);
      await rollBack(org, id, two);
      expect(await visitedTexts(name)).toEqual({ 'index.html': text('two') });
      const types = (await publishedEvents(stream, org)).map(({ type }) => type);
      expect(types.filter((type) => type === 'project.published')).toHaveLength(2);
      expect(types.filter((type) => type === 'internal.site.changed')).toHaveLength(4);
    });

    test('an unknown deploy, and a deploy of another project or organization, is not found', async () => {
      const org = randomUUID();
      const { id, deployIds } = await deployed(org, ['one']);
      const other = await deployed(org, ['other']);
      for (const wrong of [randomUUID(), present(other.deployIds[0])]) {
        await expect(rollBack(org, id, wrong)).rejects.toEqual(refusal('deploy_not_found'));
      }
      await expect(rollBack(randomUUID(), id, present(deployIds[0]))).rejects.toEqual(refusal('deploy_not_found'));
      await expect(deploysOf(randomUUID(), id)).rejects.toEqual(refusal('project_not_found'));
    });

    test('the latest 10 deploys are kept with their files, earlier ones are deleted with theirs', async () => {
      const org = randomUUID();
      const words = Array.from({ length: 12 }, (_, index) => `word${index}`);
      const { id, name, deployIds } = await deployed(org, words);
      const { deploys, total } = await deploysOf(org, id);
      expect(total).toBe(10);
      expect(deploys.map((deploy) => deploy.id)).toEqual(deployIds.slice(2).reverse());
      expect((await deploysOf(org, id, { limit: 2, offset: 1 })).deploys).toEqual(deploys.slice(1, 3));
      await collectAllGarbage();
      // Ten deploys with a manifest and three chunks each (plain, Brotli, gzip); twelve drafts with a manifest
      // each, two of them with a chunk that no deploy has.
      expect(await countStored(org)).toEqual({ manifests: 22, chunks: 32, leased: 0 });
      await expect(rollBack(org, id, present(deployIds[1]))).rejects.toEqual(refusal('deploy_not_found'));
      await rollBack(org, id, present(deployIds[2]));
      expect(await visitedTexts(name)).toEqual({ 'index.html': text('word2') });
    });

    test('deleting a project deletes its site, name and files, and publishes an internal event', async () => {
      const org = randomUUID();
      const { id, name } = await deployed(org, ['one', 'two']);
      await call('projects.DeleteProject', { project_id: id }, testCaller(org));
      expect(await visitedTexts(name)).toBeUndefined();
      expect((await publishedEvents(stream, org)).slice(-2)).toMatchObject([
        { type: 'internal.project.deleted', data: { project_id: id } },
        { type: 'internal.site.changed', data: { project_id: id, name } },
      ]);
      await collectAllGarbage();
      expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
    });

    test('files of a publish that crashed before it went live are deleted; the live files stay', async () => {
      const org = randomUUID();
      const { name } = await deployed(org, ['live']);
      const before = await countStored(org);
      const files = [{ path: 'index.html', content: Buffer.from(text('lost')) }];
      const site = await storeSite({ ...testCaller(org), insertsTracker: true }, files, { asDraft: true });
      await site.manifestAt('https://lost.sites.example.net');
      await collectAllGarbage();
      expect(await countStored(org)).toEqual({ ...before, leased: 0 });
      expect(await visitedTexts(name)).toEqual({ 'index.html': text('live') });
    });

    test('a content that two deploys and drafts share is stored once, plain and encoded', async () => {
      const org = randomUUID();
      const { id } = await deployed(org, ['same']);
      const before = await countStored(org);
      await publish(org, id, { 'index.html': text('same'), 'copy.html': text('same') });
      expect(await countStored(org)).toMatchObject({ manifests: before.manifests + 2, chunks: before.chunks });
    });
  });

  describe('set preview image', () => {
    const imageUrl = (id: string, deployId: string) => `${previewOrigin.replace('//', '//images.')}/${id}/${deployId}.png`;

    async function published() {
      const org = randomUUID();
      const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
      const publishAgain = () => publish(org, id, { 'index.html': 'x' });
      const shown = async () => present((await call('projects.GetProject', { project_id: id }, testCaller(org))).project);
      const set = (deploy_id: string) => call('sites.SetPreviewImage', { org_id: org, project_id: id, deploy_id }, sites());
      return { org, id, deployId: (await publishAgain()).deployId, publishAgain, shown, set };
    }

    test('the preview image of the live deploy is shown, also in lists, and changes no other field; a repeat keeps the ETag', async () => {
      const { org, id, deployId, shown, set } = await published();
      const before = await shown();
      expect(before.preview_image_url).toBeUndefined();
      expect(await set(deployId)).toEqual({ shown: true });
      expect(await shown()).toEqual({ ...before, preview_image_url: imageUrl(id, deployId) });
      const { etag } = await call('projects.GetProject', { project_id: id }, testCaller(org));
      expect(await set(deployId)).toEqual({ shown: true });
      expect((await call('projects.GetProject', { project_id: id }, testCaller(org))).etag).toBe(etag);
      const { projects } = await call('projects.ListProjects', { limit: 10 }, testCaller(org));
      expect(projects).toMatchObject([{ id, preview_image_url: imageUrl(id, deployId) }]);
    });

    test('an image that arrives after another deploy went live is ignored; the previous image stays until there is a new one', async () => {
      const { id, deployId, publishAgain, shown, set } = await published();
      await set(deployId);
      const next = await publishAgain();
      expect(await set(deployId)).toEqual({ shown: false });
      expect((await shown()).preview_image_url).toBe(imageUrl(id, deployId));
      expect(await set(next.deployId)).toEqual({ shown: true });
      expect((await shown()).preview_image_url).toBe(imageUrl(id, next.deployId));
    });

    test('only services can set a preview image, and only of an existing project', async () => {
      const { org, id, deployId } = await published();
      const request = { org_id: org, project_id: id, deploy_id: deployId };
      for (const caller of [testCaller(org), operator(org)]) {
        await expect(call('sites.SetPreviewImage', request, caller)).rejects.toEqual(refusal('permission_missing'));
      }
      for (const wrong of [{ org_id: randomUUID() }, { project_id: randomUUID() }]) {
        await expect(call('sites.SetPreviewImage', { ...request, ...wrong }, sites())).rejects.toEqual(refusal('project_not_found'));
      }
    });
  });
});

describe('built sites', () => {
  useProjectsTemplates();

  const resolve = async (name: string) => call('sites.ResolveSite', { name }, sites());

  async function published(texts: Record<string, string>) {
    const org = randomUUID();
    const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
    const { project, deployId, warnings } = await publish(org, id, texts);
    const name = present(present(project).subdomain);
    const rollBack = (deploy_id: string) => call('projects.RollBackDeploy', { project_id: id, deploy_id }, testCaller(org));
    return { org, id, name, deployId, warnings, rollBack };
  }

  describe('the rules of a site', () => {
    test('they are those of the live deploy, also after a rollback, and no files', async () => {
      const { org, id, name, deployId, rollBack } = await published({
        'index.html': 'a',
        _redirects: '/* /index.html 200',
        _headers: '/*\n  X-A: 1',
      });
      const rules = { redirects: [{ from: '/*', to: '/index.html', status: 200, is_forced: false }], headers: [{ for: '/*' }] };
      expect(await resolve(name)).toMatchObject({ files: [{ path: 'index.html' }], ...rules });
      await publish(org, id, { 'index.html': 'b' });
      expect(await resolve(name)).toMatchObject({ redirects: [], headers: [] });
      await rollBack(deployId);
      expect(await resolve(name)).toMatchObject(rules);
    });

    test('a change of them alone is a change of the draft', async () => {
      const { org, id } = await published({ 'index.html': 'a' });
      await writeDraft(org, id, { 'index.html': 'a', _redirects: '/a /b' });
      const { draft } = await call('projects.GetDraft', { project_id: id }, testCaller(org));
      expect(draft).toMatchObject({ up_to_date: false, added: { paths: ['_redirects'] } });
    });
  });

  describe('files of the deploys before', () => {
    const [first, second, third] = ['assets/app-AmZ3xk9K.js', 'assets/app-BmZ3xk9L.js', 'assets/app-CmZ3xk9M.js'];
    const withChunk = (chunk = '') => ({ 'index.html': `page of ${chunk}`, 'style.css': `style of ${chunk}`, [chunk]: chunk });
    const earlier = async (name: string) => (await resolve(name)).earlier_files.map(({ path }) => path).sort();

    test('those under names with a hash stay for 24 hours, after a rollback too', async () => {
      const { org, id, name, deployId, rollBack } = await published(withChunk(first));
      expect(await earlier(name)).toEqual([]);
      await publish(org, id, withChunk(second));
      await publish(org, id, withChunk(third));
      expect(await earlier(name)).toEqual([first, second]);
      await rollBack(deployId);
      expect(await earlier(name)).toEqual([second, third]);
    });

    test('they are gone after 24 hours', async () => {
      const { org, id, name } = await published(withChunk(first));
      await publish(org, id, withChunk(second));
      const projects = mongoose.connection.collection<{ _id: string }>('projects');
      const replacedAgo = (hours: number) =>
        projects.updateOne({ _id: id }, { $set: { 'deploys.1.replaced_at': new Date(Date.now() - hours * 3_600_000).toISOString() } });
      await replacedAgo(23.9);
      expect(await earlier(name)).toEqual([first]);
      await replacedAgo(24.1);
      expect(await earlier(name)).toEqual([]);
    });
  });

  describe('the warnings of a publish', () => {
    test('name links and assets that are not there, and rules that are not served or not used', async () => {
      const { org, id, warnings } = await published({
        'index.html': [
          '<!doctype html><link rel="stylesheet" href="style.css"><script src="/app.js"></script><script src="/t.js"></script>',
          '<a href="/about">a</a><a href="missing.html">b</a><a href="/old/x">c</a><a href="caf%C3%A9">d</a><img src="/old/x.png">',
          '<form action="/_forms/contact"></form><a href="https://other.test/">e</a><img src="data:,">',
        ].join('\n'),
        'about.html': '<base href="/sub/"><img src="here.png"><img src="gone.png">',
        'sub/here.png': 'png',
        'cafe\u0301.html': 'Café',
        'style.css': 'body { background: url("bg.png") }',
        _redirects: '/old/* /about 200\n/about /x\n/y /z 302 Country=de\n/ /index.html 200\n/sub/here.png / 302!\n/s /nothing 200',
      });
      const messages = warnings.map(({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`} ${message}`);
      expect(messages.sort()).toEqual([
        '_redirects The rule for "/about" is not used, because the site has about.html; write 301! to use it all the same.',
        '_redirects The rule for "/s" shows "/nothing", which is no file of the site.',
        '_redirects The rule for "/y" has the condition "Country", which is not served; the rule is left out.',
        'about.html:1 "gone.png" is not a file of the site.',
        'index.html:1 "/app.js" is not a file of the site.',
        'index.html:2 "/old/x.png" is not a file of the site.',
        'index.html:2 The link "missing.html" leads to no file of the site.',
        'style.css:1 "bg.png" is not a file of the site.',
      ]);
      const again = await call('projects.PublishProject', { project_id: id, builtFiles: [] }, testCaller(org));
      expect(again.warnings).toHaveLength(8);
    });

    test('are 50 at most, and none for a site that is whole; a repeated publish has the same', async () => {
      const links = Array.from({ length: 60 }, (_, at) => `<a href="/${at}">x</a>`).join('');
      const { org, id, warnings } = await published({ 'index.html': links });
      expect(warnings).toHaveLength(50);
      const key = repeatable(randomUUID());
      const once = await publish(org, id, { 'index.html': links.slice(0, 40) }, key);
      expect(await publish(org, id, { 'index.html': links.slice(0, 40) }, key)).toEqual(once);
      expect((await publish(org, id, { 'index.html': 'whole' })).warnings).toEqual([]);
    });
  });
});

describe('sites', () => {
  useProjectsTemplates();

  describe('resolve site', () => {
    const page = 'Hello, hello, hello\n'.repeat(100);
    const resolve = (name: string) => call('sites.ResolveSite', { name }, sites());
    const content = (org_id: string, sha256: string, encoding = '') => call('sites.GetSiteContent', { org_id, sha256, encoding }, sites());

    async function publishedSite(texts: Record<string, string>) {
      const org = randomUUID();
      const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
      const { project, deployId } = await publish(org, id, texts);
      return { org, id, deployId, name: present(present(project).subdomain) };
    }

    test('a name resolves to its live deploy: its owner, and each file with type and encodings', async () => {
      const photo = randomBytes(4096).toString('latin1');
      const { org, id, deployId, name } = await publishedSite({ 'index.html': page, 'tiny.css': 'a{}', 'photo.jpg': photo });
      const { files, ...site } = await resolve(name);
      const ordinary = { suspended: false, organization_suspended: false, standing_version: 0, taken_down: false };
      expect(site).toEqual({
        ...ordinary,
        moved_to: '',
        clears_storage_until: '',
        joined_by_link: false,
        found: true,
        org_id: org,
        project_id: id,
        deploy_id: deployId,
        ...{ redirects: [], headers: [], earlier_files: [] },
      });
      expect(files).toMatchObject([
        { path: 'index.html', content_type: 'text/html; charset=utf-8', size: page.length, encodings: ['br', 'gzip'] },
        { path: 'photo.jpg', content_type: 'image/jpeg', encodings: [] },
        { path: 'tiny.css', content_type: 'text/css; charset=utf-8', size: 3, encodings: [] },
      ]);
    });

    test('a content is returned plain, or encoded with fewer bytes that decode to it', async () => {
      const { org, name } = await publishedSite({ 'index.html': page });
      const { sha256 } = present((await resolve(name)).files[0]);
      expect((await content(org, sha256)).content.toString()).toBe(page);
      const [brotli, zipped] = [(await content(org, sha256, 'br')).content, (await content(org, sha256, 'gzip')).content];
      expect(brotliDecompressSync(brotli).toString()).toBe(page);
      expect(gunzipSync(zipped).toString()).toBe(page);
      expect(Math.max(brotli.length, zipped.length)).toBeLessThan(page.length / 2);
    });

    test("an unknown content, an unknown encoding and another organization's content are not found", async () => {
      const { org, name } = await publishedSite({ 'index.html': page, 'tiny.css': 'a{}' });
      const [html, css] = (await resolve(name)).files.map(({ sha256 }) => sha256);
      const missing: [org: string, sha256: string, encoding: string][] = [
        [org, 'f'.repeat(64), ''],
        [org, present(css), 'br'],
        [org, present(html), 'zstd'],
        [randomUUID(), present(html), ''],
        [randomUUID(), present(html), 'br'],
      ];
      for (const wanted of missing) {
        await expect(content(...wanted)).rejects.toEqual(refusal('file_not_found'));
      }
    });

    test.each(['nobody-has-this', '', 'a.b', '\0', 'constructor'])('nothing is published under %j', async (name) => {
      expect(await resolve(name)).toMatchObject({ found: false, files: [] });
    });

    test('API keys and operators are refused', async () => {
      const { org, name } = await publishedSite({ 'index.html': page });
      const { sha256 } = present((await resolve(name)).files[0]);
      for (const caller of [testCaller(org), operator(org)]) {
        await expect(call('sites.ResolveSite', { name }, caller)).rejects.toEqual(refusal('permission_missing'));
        await expect(call('sites.GetSiteContent', { org_id: org, sha256, encoding: '' }, caller)).rejects.toEqual(
          refusal('permission_missing'),
        );
      }
    });

    test('a name is looked up by an index', async () => {
      const { name } = await publishedSite({ 'index.html': page });
      const operations = await requestsOn('projects', () => resolve(name));
      expect(operations.length).toBeGreaterThan(0);
      for (const { planSummary } of operations) expect(planSummary).toMatch(/^(IXSCAN|IDHACK|EXPRESS)/);
    });
  });

  describe('identify site', () => {
    const nobodys = { found: false, org_id: '', project_id: '', user_id: '', paused: false };

    const identify = (name: string, caller = analytics()) => call('sites.IdentifySite', { name }, caller);

    async function publishedSite() {
      const org = randomUUID();
      const { id, user_id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
      const { project } = await publish(org, id, { 'index.html': 'a' });
      return { org, id, user_id, name: present(present(project).subdomain) };
    }

    test('a name identifies the owner of its site until the project is deleted', async () => {
      const { org, id, user_id, name } = await publishedSite();
      expect(await identify(name)).toEqual({ found: true, org_id: org, project_id: id, user_id, paused: false });
      await call('projects.DeleteProject', { project_id: id }, testCaller(org));
      expect(await identify(name)).toEqual(nobodys);
    });

    test.each(['nobody-has-this', '', 'a.b', '\0', 'constructor'])('%j has no owner', async (name) => {
      expect(await identify(name)).toEqual(nobodys);
    });

    test('API keys and operators are refused', async () => {
      const { org, name } = await publishedSite();
      for (const caller of [testCaller(org), operator(org)]) {
        await expect(identify(name, caller)).rejects.toEqual(refusal('permission_missing'));
      }
    });

    test('the owner of a name is found by index', async () => {
      const { name } = await publishedSite();
      const operations = await requestsOn('projects', () => identify(name));
      expect(operations.length).toBeGreaterThan(0);
      for (const { planSummary } of operations) expect(planSummary).toMatch(/^(IXSCAN|IDHACK|EXPRESS)/);
    });
  });

  describe('site name', () => {
    test.each([
      ['Café Löwe & Söhne', 'cafe-lowe-sohne'],
      ['  Straße 12!  ', 'strasse-12'],
      ['xn--bcher-kva', 'xn-bcher-kva'],
      [`${'Long '.repeat(30)}`, 'long-long-long-long-long-long-long-long'],
    ])('%j is published as %s', (name, label) => {
      expect(siteName(name, 0)).toBe(label);
    });

    test.each([
      ...[
        'PayPal Login',
        'pay-pal',
        'my paypal shop',
        'Paypa1',
        'M1cr0soft Support',
        'Amazon',
        'AppleID',
        'your-icloud',
        'N26',
        'Sparkasse Verify',
      ],
      ...['login', 'Konto Login', 'dhl paket', 'Hotmail'],
    ])('%j could deceive visitors, and is published without its words', (name) => {
      for (const attempt of [0, 1]) expect(siteName(name, attempt)).toMatch(/^site-[a-z0-9]{6}$/);
    });

    test.each([
      ...[
        'Harbour Bakery',
        'Pineapple Ideas',
        'Design Inc',
        'Blog in Paris',
        'Revolution Yoga',
        'Start-ups',
        'Music Loud',
        'Open Air Kino',
        'Snapple',
      ],
      ...['Purchase Club', 'Gravi Tunes', 'Rent Mobile', 'Parkbank', 'Studio 54', 'Verified Coffee'],
    ])('%j deceives nobody', (name) => {
      expect(siteName(name, 0)).toBe(name.toLowerCase().replaceAll(' ', '-'));
    });

    test.each(['www', 'API', 'Admin', 'm a i l'.replaceAll(' ', ''), 'ns1', 'A', '漢字', '🙂', '---'])(
      '%j gets a random suffix',
      (name) => {
        expect(siteName(name, 0)).toMatch(/^[a-z0-9]+-[a-z0-9]{6}$/);
      },
    );

    test.each(['Café', 'www', '漢字', 'x'.repeat(200), '-a-'])('the site name of project %j is one DNS label', (name) => {
      for (const attempt of [0, 1]) expect(siteName(name, attempt)).toMatch(/^(?!xn--)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    });

    test('concurrent publishes of equally named projects get distinct names', async () => {
      const name = `Taken ${randomBytes(6).toString('hex')}`;
      const orgs = Array.from({ length: 4 }, () => randomUUID());
      const projects = await Promise.all(orgs.map((org) => newProject(org, { name })));
      const answers = await Promise.all(projects.map(({ id }, index) => publish(present(orgs[index]), id, { 'index.html': id })));
      const names = answers.map(({ project }) => present(project?.subdomain));
      expect(new Set(names).size).toBe(orgs.length);
      expect(names).toContain(name.toLowerCase().replace(' ', '-'));
      expect(await Promise.all(names.map(visitedTexts))).toEqual(projects.map(({ id }) => ({ 'index.html': id })));
    });

    test('a renamed project keeps the name of its first publish', async () => {
      const org = randomUUID();
      const { id } = await newProject(org, { name: `First ${randomBytes(6).toString('hex')}` });
      const first = await publish(org, id, { 'index.html': '1' });
      await call('projects.UpdateProject', { project_id: id, name: 'Renamed', update_mask: ['name'] }, testCaller(org));
      expect((await publish(org, id, { 'index.html': '2' })).url).toBe(first.url);
    });
  });
});
