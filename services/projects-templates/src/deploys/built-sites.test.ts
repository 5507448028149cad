import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, present, publish, repeatable, sites, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

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
