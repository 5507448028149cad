import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, present, publish, visitedTexts } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { siteName } from './site-name.ts';

useProjectsTemplates();

test.each([
  ['Café Löwe & Söhne', 'cafe-lowe-sohne'],
  ['  Straße 12!  ', 'strasse-12'],
  ['xn--bcher-kva', 'xn-bcher-kva'],
  [`${'Long '.repeat(30)}`, 'long-long-long-long-long-long-long-long'],
])('%j is published as %s', (name, label) => {
  expect(siteName(name, 0)).toBe(label);
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
