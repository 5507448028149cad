import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { requestsOn, testCaller } from '@webkiln/store/testing';
import { newProject, refusal } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

test.each([randomUUID(), 'nonsense', '', '{"$ne":1}'])('the id %j is not found', async (project_id) => {
  await expect(call('projects.GetProject', { project_id }, testCaller(randomUUID()))).rejects.toEqual(refusal('project_not_found'));
});

test('200 concurrent reads of several organizations become few queries by id, and each gets its own project only', async () => {
  const organizations = Array.from({ length: 4 }, () => randomUUID());
  const projects = await Promise.all(organizations.map((org) => newProject(org)));
  const read = (index: number) => {
    const [project, org] = [projects[index % 4], organizations[Math.floor(index / 4) % 4]];
    return call('projects.GetProject', { project_id: project?.id }, testCaller(org ?? ''));
  };
  let outcomes: PromiseSettledResult<{ project: object | null }>[] = [];
  const operations = await requestsOn('projects', async () => {
    outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => read(index)));
  });
  for (const [index, outcome] of outcomes.entries()) {
    const own = index % 4 === Math.floor(index / 4) % 4;
    if (own) expect(outcome).toMatchObject({ value: { project: projects[index % 4] } });
    else expect(outcome).toEqual({ status: 'rejected', reason: refusal('project_not_found') });
  }
  expect(operations.length).toBeLessThanOrEqual(20);
  for (const { planSummary } of operations) expect(planSummary).toMatch(/^IXSCAN { _id: 1 }|^IDHACK/);
});
