import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { analytics, newProject, operator, present, publish, refusal } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

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
