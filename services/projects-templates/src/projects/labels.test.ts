import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, operator, present, publish, refusal, sites, visitedTexts } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { labelHeldMs, maxRenamesPerDay } from './label-store.ts';

useProjectsTemplates();

const someLabel = (start = 'shop') => `${start}-${randomBytes(6).toString('hex')}`;

async function siteAt(label: string, org = randomUUID()) {
  const { principal } = testCaller(org);
  const caller = testCaller(org, { principal: { ...principal, kind: 'session', role: 'owner', account_id: randomUUID() } });
  const { id } = await newProject(org, { name: label });
  const { project } = await publish(org, id, { 'index.html': id });
  const rename = (subdomain: string) => call('projects.AddDomain', { project_id: id, subdomain }, caller);
  const remove = () => call('projects.DeleteProject', { project_id: id }, caller);
  return { org, id, label: present(project?.subdomain), rename, remove };
}

const resolved = (name: string) => call('sites.ResolveSite', { name }, sites());
const addressOf = (label: string) => `https://${label}.sites.example.net`;

const leftLabels = () => mongoose.connection.collection('left_labels');
/** As if all of it had happened so much earlier. */
async function letPass(label: string, ms: number): Promise<void> {
  const left = await leftLabels().find({ label }).toArray();
  for (const { _id, held_until } of left) {
    await leftLabels().updateOne({ _id }, { $set: { held_until: new Date(Number(held_until) - ms) } });
  }
}

test('a label that a site leaves is held: for others it is taken, and visitors are sent to the new address', async () => {
  const [mover, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
  const next = someLabel();
  await mover.rename(next);
  expect(await resolved(mover.label)).toMatchObject({ found: false, project_id: mover.id, moved_to: addressOf(next) });
  await expect(stranger.rename(mover.label)).rejects.toEqual(refusal('subdomain_taken'));
  expect((await siteAt(mover.label)).label).toMatch(new RegExp(`^${mover.label}-\\w{6}$`));
  const last = someLabel();
  await mover.rename(last);
  for (const label of [mover.label, next]) expect((await resolved(label)).moved_to).toBe(addressOf(last));
});

test("the organization takes a held label again at once, by the site itself or by another of the organization's", async () => {
  const mover = await siteAt(someLabel());
  const other = await siteAt(someLabel(), mover.org);
  await mover.rename(someLabel());
  await mover.rename(mover.label);
  expect(await resolved(mover.label)).toMatchObject({ found: true, project_id: mover.id, moved_to: '', clears_storage_until: '' });
  await mover.rename(someLabel());
  await other.rename(mover.label);
  expect(await visitedTexts(mover.label)).toEqual({ 'index.html': other.id });
});

test('an operator takes a site down by an address that it has left', async () => {
  const mover = await siteAt(someLabel());
  const next = someLabel();
  await mover.rename(next);
  const { site } = await call('sites.TakeDownSite', { site: addressOf(mover.label), reason: 'spam' }, operator(mover.org));
  expect(site).toMatchObject({ project_id: mover.id, url: addressOf(next) });
  for (const label of [mover.label, next]) expect((await resolved(label)).taken_down).toBe(true);
});

test('the label of a deleted project is held and shows nothing', async () => {
  const [gone, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
  await gone.remove();
  expect(await resolved(gone.label)).toMatchObject({ found: false, moved_to: '' });
  await expect(stranger.rename(gone.label)).rejects.toEqual(refusal('subdomain_taken'));
  expect(await siteAt(gone.label, gone.org)).toMatchObject({ label: gone.label });
});

test('after 90 days others may take the label, and pages of another project there clear what the site before left', async () => {
  const [mover, deleted, renamed] = [await siteAt(someLabel()), await siteAt(someLabel()), await siteAt(someLabel())];
  await mover.rename(someLabel());
  await deleted.remove();
  for (const { label } of [mover, deleted]) await letPass(label, labelHeldMs);
  expect((await resolved(mover.label)).moved_to).toBe('');
  await renamed.rename(mover.label);
  const published = await siteAt(deleted.label);
  expect(published.label).toBe(deleted.label);
  for (const { label } of [mover, deleted]) {
    const days = (Date.parse((await resolved(label)).clears_storage_until) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
  }
  await renamed.rename(someLabel());
  expect((await resolved(renamed.label)).clears_storage_until).toBe('');
});

test('a label goes from one site to another without a moment in which a third organization can take it', async () => {
  const mover = await siteAt(someLabel());
  const strangers = await Promise.all(Array.from({ length: 6 }, () => siteAt(someLabel())));
  const takes = strangers.map(({ rename }) => rename(mover.label));
  const outcomes = await Promise.allSettled([mover.rename(someLabel()), ...takes]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', ...takes.map(() => 'rejected')]);
  for (const { rename } of strangers) await expect(rename(mover.label)).rejects.toEqual(refusal('subdomain_taken'));
});

test('a site changes its subdomain 10 times a day, also by requests at once; a refused change counts nothing', async () => {
  const [site, other] = [await siteAt(someLabel()), await siteAt(someLabel())];
  for (let attempt = 0; attempt <= maxRenamesPerDay; attempt++) await expect(site.rename(other.label)).rejects.toThrow();
  const outcomes = await Promise.allSettled(Array.from({ length: maxRenamesPerDay + 3 }, () => site.rename(someLabel())));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.map((outcome) => 'reason' in outcome && outcome.reason.code)).toEqual(Array(3).fill('too_many_renames'));
  await expect(site.rename(site.label)).rejects.toEqual(refusal('too_many_renames'));
  await leftLabels().updateMany({ project_id: site.id }, [{ $set: { renamed: { $concat: ['of yesterday ', '$renamed'] } } }]);
  await site.rename(site.label);
});

test('an organization has 1,000 held labels at most; a further one is free at once', async () => {
  const [full, stranger] = [await siteAt(someLabel()), await siteAt(someLabel())];
  const held_until = new Date(Date.now() + labelHeldMs);
  const of = (at: number) => ({
    _id: `${full.org} ${at}`,
    org_id: full.org,
    project_id: `${at}`,
    label: `${full.label}-${at}`,
    held_until,
  });
  await mongoose.connection.collection<ReturnType<typeof of>>('left_labels').insertMany(Array.from({ length: 1000 }, (_, at) => of(at)));
  await full.rename(someLabel());
  await stranger.rename(full.label);
  expect(await resolved(full.label)).toMatchObject({ found: true, project_id: stranger.id });
  expect((await resolved(full.label)).clears_storage_until).not.toBe('');
});
