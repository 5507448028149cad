import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, operator, present, publish, refusal, sites } from '../testing/calls.ts';
import { previewOrigin, useProjectsTemplates } from '../testing/running-service.ts';

useProjectsTemplates();

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
