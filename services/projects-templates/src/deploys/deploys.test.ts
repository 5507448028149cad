import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { storeSite } from '../files/site-files.ts';
import { newProject, present, publish, refusal, visited } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { settle, storedOf } from '../testing/stored-files.ts';
import { publishedEvents } from '../testing/test-stream.ts';

const stream = useProjectsTemplates();

const text = (word: string) => `${word} `.repeat(200);
const deploysOf = (org: string, project_id: string, page: { limit?: number; offset: number } = { offset: 0 }) =>
  call('projects.ListDeploys', { project_id, ...page }, testCaller(org));
const rollBack = (org: string, project_id: string, deploy_id: string) =>
  call('projects.RollBackDeploy', { project_id, deploy_id }, testCaller(org));

/** A project with deploys of these words, oldest first: its name, and their ids. */
async function deployed(org: string, words: readonly string[]) {
  const { id } = await newProject(org, { name: `Site ${randomBytes(6).toString('hex')}` });
  const answers = [];
  for (const word of words) answers.push(await publish(org, id, { 'index.html': text(word) }));
  return { id, name: present(answers[0]?.project?.subdomain), deployIds: answers.map(({ deployId }) => deployId) };
}

test('a rollback makes an earlier deploy live as it was, and forth again; services hear of it, webhooks do not', async () => {
  const org = randomUUID();
  const { id, name, deployIds } = await deployed(org, ['one', 'two']);
  const [one = '', two = ''] = deployIds;
  expect(await rollBack(org, id, one)).toMatchObject({ deployId: one, status: 'ready', project: { subdomain: name } });
  expect(await visited(name)).toEqual({ 'index.html': text('one') });
  expect((await deploysOf(org, id)).deploys).toMatchObject([
    { id: two, live: false },
    { id: one, live: true },
  ]);
  await rollBack(org, id, one);
  await rollBack(org, id, two);
  expect(await visited(name)).toEqual({ 'index.html': text('two') });
  const types = (await publishedEvents(stream, org)).map(({ type }) => type);
  expect(types.filter((type) => type === 'project.published')).toHaveLength(2);
  expect(types.filter((type) => type === 'internal.site.changed')).toHaveLength(4);
});

test('a deploy that is not there, of another project or another organization is not found', async () => {
  const org = randomUUID();
  const { id, deployIds } = await deployed(org, ['one']);
  const other = await deployed(org, ['other']);
  for (const wrong of [randomUUID(), present(other.deployIds[0])]) {
    await expect(rollBack(org, id, wrong)).rejects.toEqual(refusal('deploy_not_found'));
  }
  await expect(rollBack(randomUUID(), id, present(deployIds[0]))).rejects.toEqual(refusal('deploy_not_found'));
  await expect(deploysOf(randomUUID(), id)).rejects.toEqual(refusal('project_not_found'));
});

test('the last 10 deploys are kept with their files, earlier ones go with theirs', async () => {
  const org = randomUUID();
  const words = Array.from({ length: 12 }, (_, index) => `word${index}`);
  const { id, name, deployIds } = await deployed(org, words);
  const { deploys, total } = await deploysOf(org, id);
  expect(total).toBe(10);
  expect(deploys.map((deploy) => deploy.id)).toEqual(deployIds.slice(2).reverse());
  expect((await deploysOf(org, id, { limit: 2, offset: 1 })).deploys).toEqual(deploys.slice(1, 3));
  await settle();
  // Ten deploys, each a manifest and a content as it is, as Brotli and as gzip; the draft is the first deploy's tree, with its content.
  expect(await storedOf(org)).toEqual({ manifests: 11, chunks: 31, held: 0 });
  await expect(rollBack(org, id, present(deployIds[1]))).rejects.toEqual(refusal('deploy_not_found'));
  await rollBack(org, id, present(deployIds[2]));
  expect(await visited(name)).toEqual({ 'index.html': text('word2') });
});

test('with a project its site goes, its name and everything that was stored for it; services hear of it', async () => {
  const org = randomUUID();
  const { id, name } = await deployed(org, ['one', 'two']);
  await call('projects.DeleteProject', { project_id: id }, testCaller(org));
  expect(await visited(name)).toBeUndefined();
  expect((await publishedEvents(stream, org)).slice(-2)).toMatchObject([
    { type: 'internal.project.deleted', data: { project_id: id } },
    { type: 'internal.site.changed', data: { project_id: id, name } },
  ]);
  await settle();
  expect(await storedOf(org)).toEqual({ manifests: 0, chunks: 0, held: 0 });
});

test('what a publish stored that died before its switch goes; what is live stays', async () => {
  const org = randomUUID();
  const { name } = await deployed(org, ['live']);
  const before = await storedOf(org);
  await storeSite(testCaller(org), [{ path: 'index.html', content: Buffer.from(text('lost')) }]);
  await settle();
  expect(await storedOf(org)).toEqual({ ...before, held: 0 });
  expect(await visited(name)).toEqual({ 'index.html': text('live') });
});

test('a content that two deploys share is stored once, as it is and prepared', async () => {
  const org = randomUUID();
  const { id } = await deployed(org, ['same']);
  const before = await storedOf(org);
  await publish(org, id, { 'index.html': text('same'), 'copy.html': text('same') });
  expect(await storedOf(org)).toMatchObject({ manifests: before.manifests + 1, chunks: before.chunks });
});
