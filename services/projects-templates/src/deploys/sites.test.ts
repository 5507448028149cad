import { randomBytes, randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { analytics, newProject, operator, present, publish, refusal, sites, visitedTexts } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { siteName } from './site-name.ts';

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

  test.each(['www', 'API', 'Admin', 'm a i l'.replaceAll(' ', ''), 'ns1', 'A', '漢字', '🙂', '---'])('%j gets a random suffix', (name) => {
    expect(siteName(name, 0)).toMatch(/^[a-z0-9]+-[a-z0-9]{6}$/);
  });

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
