import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, refusal } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';

const stream = useProjectsTemplates();

const remove = (org: string, project_id: string, ifMatch?: string) =>
  call('projects.DeleteProject', { project_id }, testCaller(org, { ifMatch }));

test('a deleted project is not found or listed, and its deletion is published once', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  const { id } = await newProject(org, { client });
  expect(await remove(org, id)).toEqual({ deleted: true, id });
  await expect(call('projects.GetProject', { project_id: id }, testCaller(org))).rejects.toEqual(refusal('project_not_found'));
  expect(await call('projects.ListProjects', { limit: 50 }, testCaller(org))).toEqual({ projects: [], total: 0, next_cursor: '' });
  expect(await publishedEvents(stream, org)).toMatchObject([
    { type: 'project.created' },
    { type: 'internal.project.deleted', data: { project_id: id, org_client_id: client.client_id } },
  ]);
});

test('a repeated delete answers project_not_found', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await remove(org, id);
  await expect(remove(org, id)).rejects.toEqual(refusal('project_not_found'));
});

test('the site slot of a deleted project is free at once', async () => {
  const org = randomUUID();
  const client = fakeClient(org, { max_sites: 1 });
  const { id } = await newProject(org, { client });
  await remove(org, id);
  await newProject(org, { client });
  await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
});

test('of concurrent deletes exactly one succeeds', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => remove(org, id)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('project_not_found'));
  }
});

test('a stale If-Match keeps the project', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await expect(remove(org, id, '"r2"')).rejects.toEqual(refusal('edited_meanwhile'));
  expect(await remove(org, id, '"r1"')).toEqual({ deleted: true, id });
});
