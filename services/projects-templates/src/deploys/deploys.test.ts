import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { storeSite } from '../files/site-files.ts';
import { newProject, present, publish, refusal, visitedTexts } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, countStored } from '../testing/stored-files.ts';
import { publishedEvents } from '../testing/test-stream.ts';

const stream = useProjectsTemplates();

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
  // Ten deploys with a manifest and three chunks each (plain, Brotli, gzip); twelve drafts with a manifest each, two of
  // them with a chunk that no deploy has.
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
  await storeSite(testCaller(org), [{ path: 'index.html', content: Buffer.from(text('lost')) }], { asDraft: true });
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
