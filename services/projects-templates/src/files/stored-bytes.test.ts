import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { startStandings } from '@webkiln/standing';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, publish, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { collectAllGarbage, expireLeases, sweep } from '../testing/stored-files.ts';
import { storeChunks } from './chunk-store.ts';
import { expectRelease } from './stored-bytes.ts';
import { usedBytes } from './stored-bytes-store.ts';

const kb = 1024;

useProjectsTemplates();
beforeAll(() => {
  expectRelease(600_000);
  startStandings('projects-templates', { QUOTA_STORED_BYTES: 100 * kb });
});

const text = (bytes: number) => randomBytes(bytes / 2).toString('hex');
const used = (org_id: string) => usedBytes({ org_id });
const chunks = () => mongoose.connection.collection<{ _id: string; org_id: string; content: Buffer }>('blob_chunks');
const stored = async (org_id: string): Promise<number> => {
  const sum = { $group: { _id: null, bytes: { $sum: { $binarySize: '$content' } } } };
  const [row] = await chunks()
    .aggregate<{ bytes: number }>([{ $match: { org_id } }, sum])
    .toArray();
  return row?.bytes ?? 0;
};
const projectsOf = (org: string, count: number) => Promise.all(Array.from({ length: count }, () => newProject(org)));
const refusals = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
const exceeded = expect.objectContaining({ code: 'quota_exceeded' });

test('of 50 drafts written at once exactly as many are stored as there is room for; the rest is refused and stores nothing', async () => {
  const org = randomUUID();
  const projects = await projectsOf(org, 50);
  const outcomes = await Promise.allSettled(
    projects.map(({ id }) => writeDraft(org, id, { 'a.bin': text(6 * kb), 'b.bin': text(4 * kb) })),
  );
  expect(refusals(outcomes)).toEqual(Array(40).fill(exceeded));
  expect([await used(org), await stored(org)]).toEqual([100 * kb, 100 * kb]);
});

test('an upload whose caller waits no longer when its turn comes stores nothing', async () => {
  const org = randomUUID();
  const first = storeChunks({ org_id: org }, [[`${org}/first/0`, Buffer.alloc(5)]]);
  const late = storeChunks({ org_id: org, deadlineAt: Date.now() }, [[`${org}/late/0`, Buffer.alloc(7)]]);
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  await first;
  expect([await used(org), await stored(org)]).toEqual([5, 5]);
});

test('the refusal names the quota, its limit, what is used and when unused files are released', async () => {
  const org = randomUUID();
  const [project] = await projectsOf(org, 1);
  await writeDraft(org, project?.id ?? '', { 'a.bin': text(99.5 * kb) });
  await expect(writeDraft(org, project?.id ?? '', { 'a.bin': text(kb) })).rejects.toMatchObject({
    details: [
      {
        path: 'stored_bytes',
        message:
          'your organization may have 100 KB and has 99.5 KB (files that nothing uses any more are released within 22 minutes); use less, or ask the operator of this platform for more',
      },
    ],
  });
});

test('equal contents count once for an organization, also when it is full, and for each organization', async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  const same = { 'a.bin': text(100 * kb) };
  const projects = await projectsOf(org, 10);
  await Promise.all(projects.map(({ id }) => writeDraft(org, id, same)));
  expect(await used(org)).toBe(100 * kb);
  const [first] = projects;
  await writeDraft(org, first?.id ?? '', { 'renamed.bin': same['a.bin'] });
  const [foreign] = await projectsOf(other, 1);
  await writeDraft(other, foreign?.id ?? '', same);
  expect([await used(org), await used(other)]).toEqual([100 * kb, 100 * kb]);
});

test('publishes count the pages and compressed copies that visitors get, and what is refused leaves the site as it is', async () => {
  const org = randomUUID();
  const [{ id } = { id: '' }] = await projectsOf(org, 1);
  const page = { 'index.html': `<html><body>${text(10 * kb)}</body></html>` };
  await publish(org, id, page);
  expect(await used(org)).toBeGreaterThan(20 * kb);
  expect(await used(org)).toBe(await stored(org));
  await expect(publish(org, id, { 'index.html': 'new', 'large.bin': text(99 * kb) })).rejects.toEqual(exceeded);
  expect(await textsOf(org, { project_id: id })).toEqual(page);
  expect(await used(org)).toBe(await stored(org));
});

test('deleted files are released by the garbage collection, and make room for as much', async () => {
  const org = randomUUID();
  const [doomed, kept] = await projectsOf(org, 2);
  await writeDraft(org, doomed?.id ?? '', { 'a.bin': text(60 * kb) });
  await writeDraft(org, kept?.id ?? '', { 'a.bin': text(40 * kb) });
  await call('projects.DeleteProject', { project_id: doomed?.id ?? '' }, testCaller(org));
  await expect(writeDraft(org, kept?.id ?? '', { 'b.bin': text(60 * kb) })).rejects.toEqual(exceeded);
  await collectAllGarbage();
  expect([await used(org), await stored(org)]).toEqual([40 * kb, 40 * kb]);
  await writeDraft(org, kept?.id ?? '', { 'b.bin': text(60 * kb) });
  expect(await used(org)).toBe(100 * kb);
});

test('what is used is what is stored while drafts are written, deleted and swept at once', async () => {
  const org = randomUUID();
  for (let round = 0; round < 5; round++) {
    const projects = await projectsOf(org, 10);
    const writes = projects.map(({ id }, n) =>
      writeDraft(org, id, { 'a.bin': `${round} ${n % 3}`, 'b.bin': `${n}`, 'c.bin': text(2 * kb) }),
    );
    await Promise.all([...writes, sweep(), sweep()]);
    await Promise.all(projects.map(({ id }) => call('projects.DeleteProject', { project_id: id }, testCaller(org))));
    await expireLeases(org);
    await Promise.all([sweep(), sweep(), ...(await projectsOf(org, 5)).map(({ id }) => writeDraft(org, id, { 'b.bin': '1' }))]);
    expect(await used(org)).toBe(await stored(org));
  }
});

test('a chunk that another process stored meanwhile is not counted again, and the others are stored', async () => {
  const org_id = randomUUID();
  const [one, two] = [`${org_id}/one/0`, `${org_id}/two/0`];
  await storeChunks({ org_id }, [[one, Buffer.alloc(10)]]);
  await storeChunks({ org_id }, [
    [one, Buffer.alloc(10)],
    [two, Buffer.alloc(20)],
  ]);
  expect([await used(org_id), await stored(org_id)]).toEqual([30, 30]);
});

test('files of earlier versions are counted once, however many sweeps count them', async () => {
  const [org, fresh] = [randomUUID(), randomUUID()];
  const earlier = Array.from({ length: 250 }, (_, n) => ({ _id: `${org}/${n}/0`, org_id: org, content: Buffer.alloc(n) }));
  await chunks().insertMany(earlier);
  await storeChunks({ org_id: fresh }, [[`${fresh}/a/0`, Buffer.alloc(5)]]);
  await Promise.all([sweep(), sweep(), storeChunks({ org_id: org }, [[`${org}/new/0`, Buffer.alloc(7)]])]);
  await sweep();
  expect([await used(org), await used(fresh)]).toEqual([(249 * 250) / 2 + 7, 5]);
});
