import { randomUUID } from 'node:crypto';
import { removeChange, scoped } from '@webkiln/store';
import { until } from '@webkiln/store/testing';
import { projectDeleted } from '../projects/project.ts';
import { existingProject, ProjectModel } from '../projects/project-store.ts';
import { SiteSlotModel } from '../site-slots/site-slot-store.ts';
import { newProject, refusal } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { onProjectDeleted } from './on-project-deleted.ts';

useProjectsTemplates();

test('a site slot is released even if the process that deleted the project crashed right after the write', async () => {
  const org_id = randomUUID();
  const client = fakeClient(org_id, { max_sites: 2 });
  const [kept, deleted] = [await newProject(org_id, { client }), await newProject(org_id, { client })];
  const project = await existingProject({ org_id }, deleted.id);
  await removeChange(ProjectModel, { org_id }, project, projectDeleted(project));
  await expect(newProject(org_id, { client })).rejects.toEqual(refusal('plan_limit_reached'));

  onProjectDeleted();
  const slots = () => scoped(SiteSlotModel, { org_id }).findOne({ _id: client.client_id });
  await until(async () => (await slots())?.used === 1);
  expect(await slots()).toMatchObject({ projects: [kept.id] });
  await newProject(org_id, { client });
  await expect(newProject(org_id, { client })).rejects.toEqual(refusal('plan_limit_reached'));
});
