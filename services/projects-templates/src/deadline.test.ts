import { randomUUID } from 'node:crypto';
import { scoped } from '@webkiln/store';
import { testCaller } from '@webkiln/store/testing';
import { publishProject } from './deploys/publish-project.ts';
import { writeDraft as writeDraftUseCase } from './project-files/write-draft.ts';
import { createProject } from './projects/create-project.ts';
import { deleteProject } from './projects/delete-project.ts';
import { siteAddressesAt } from './projects/project.ts';
import { ProjectModel } from './projects/project-store.ts';
import { createTemplate, deleteTemplate } from './templates/template-use-cases.ts';
import { newProject, newTemplate, operator, refusal, textsOf, writeDraft } from './testing/calls.ts';
import { fakeClient } from './testing/fake-clients-plans.ts';
import { origin, previewOrigin, sitesOrigin, useProjectsTemplates } from './testing/running-service.ts';

useProjectsTemplates();

const late = { deadlineAt: Date.now() - 1 };

test('a call that was paused past its deadline neither adds nor drops a reference to files', async () => {
  const org = randomUUID();
  const project = await newProject(org);
  await writeDraft(org, project.id, { 'index.html': 'Hi' });
  const template = await newTemplate(org, { source_project_id: project.id });
  const caller = testCaller(org, late);
  const builder = { ...caller, principal: operator(org).principal };
  const files = [{ path: 'index.html', content: Buffer.from('late') }];
  for (const outcome of [
    createTemplate.run({ name: 'Late', is_public: false, source_project_id: project.id }, caller),
    deleteTemplate.run({ template_id: template.id }, caller),
    writeDraftUseCase.run({ project_id: project.id, files }, builder),
    deleteProject.run({ project_id: project.id }, caller),
    publishProject(siteAddressesAt(sitesOrigin, previewOrigin)).run({ project_id: project.id, builtFiles: files }, caller),
  ]) {
    await expect(outcome).rejects.toEqual(refusal('unavailable'));
  }
  expect(await textsOf(org, { project_id: project.id })).toEqual({ 'index.html': 'Hi' });
  expect(await textsOf(org, { template_id: template.id })).toEqual({ 'index.html': 'Hi' });
});

test('a call that was paused past its deadline inserts no project', async () => {
  const org = randomUUID();
  let answered = false;
  const client = fakeClient(org, {
    onLookup: () => {
      answered = true;
    },
  });
  const caller = Object.defineProperty(testCaller(org), 'deadlineAt', { get: () => Date.now() + (answered ? -1 : 10_000) });
  const request = { client_email: client.email, name: 'Late' };
  await expect(createProject({ origin, siteAddresses: siteAddressesAt(sitesOrigin, previewOrigin) }).run(request, caller)).rejects.toEqual(
    refusal('unavailable'),
  );
  expect(await scoped(ProjectModel, { org_id: org }).count({})).toBe(0);
});
