import { randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { nextMillisecond, testCaller } from '@webkiln/store/testing';
import { newProject, present, refusal } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';

const stream = useProjectsTemplates();

type Change = Omit<RequestOf<'projects.UpdateProject'>, 'project_id' | 'update_mask'>;

const update = (org: string, project_id: string, change: Change, ifMatch?: string) =>
  call('projects.UpdateProject', { project_id, ...change, update_mask: Object.keys(change) }, testCaller(org, { ifMatch }));

test('an update changes the given fields, updated_at and the ETag only', async () => {
  const org = randomUUID();
  const before = await newProject(org, { name: 'Before' });
  await nextMillisecond();
  const change = { name: 'After', description: 'Text', status: 'archived', tags: ['a', 'b'], starred: true, is_public: true };
  const { project, etag } = await update(org, before.id, change);
  expect(project).toEqual({ ...before, ...change, updated_at: expect.any(String) });
  expect(present(project).updated_at > before.updated_at).toBe(true);
  expect(etag).toBe('"r2"');
  expect(await call('projects.GetProject', { project_id: before.id }, testCaller(org))).toEqual({ project, etag });
});

test('null clears the description, an empty list the tags', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await update(org, id, { description: 'Text', tags: ['a'] });
  const { project } = await update(org, id, { description: null, tags: [] });
  expect(present(project).description).toBeUndefined();
  expect(present(project).tags).toEqual([]);
});

test('an update without a difference keeps updated_at and the ETag', async () => {
  const org = randomUUID();
  const before = await newProject(org, { name: 'Same' });
  expect(await update(org, before.id, { name: 'Same', tags: [], starred: false })).toEqual({ project: before, etag: '"r1"' });
  expect(await update(org, before.id, {})).toEqual({ project: before, etag: '"r1"' });
});

test('an update publishes no public event', async () => {
  const org = randomUUID();
  await update(org, (await newProject(org)).id, { name: 'After' });
  expect(await publishedEvents(stream, org)).toMatchObject([{ type: 'project.created' }]);
});

test('a stale If-Match is rejected and changes nothing', async () => {
  const org = randomUUID();
  const before = await newProject(org);
  await expect(update(org, before.id, { name: 'After' }, '"r7"')).rejects.toEqual(refusal('edited_meanwhile'));
  expect(await call('projects.GetProject', { project_id: before.id }, testCaller(org))).toMatchObject({ project: before });
  expect(await update(org, before.id, { name: 'After' }, '"r1"')).toMatchObject({ project: { name: 'After' } });
});

test('without If-Match concurrent updates of different fields all take effect', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await Promise.all([update(org, id, { name: 'After' }), update(org, id, { starred: true }), update(org, id, { tags: ['a'] })]);
  const { project } = await call('projects.GetProject', { project_id: id }, testCaller(org));
  expect(project).toMatchObject({ name: 'After', starred: true, tags: ['a'] });
});
