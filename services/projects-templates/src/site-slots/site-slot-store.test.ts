import { randomUUID } from 'node:crypto';
import { insertChange, scoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { initialProject } from '../projects/project.ts';
import { ProjectModel } from '../projects/project-store.ts';
import { siteAddressesAt } from '../projects/site-addresses.ts';
import { acquireSiteSlot, releaseSiteSlot, SiteSlotModel } from './site-slot-store.ts';

useTestStore();

const newTenant = () => ({ org_id: randomUUID() });
const newAllowance = (max_sites?: number) => ({ client_id: randomUUID(), max_sites });
const full = expect.objectContaining({ code: 'plan_limit_reached' });

const insertProject = (tenant: { org_id: string }, _id: string) => {
  const draft = {
    _id,
    ...tenant,
    user_id: 'u',
    org_client_id: 'c',
    name: 'Site',
    description: null,
    template: null,
    draft_manifest_id: null,
  };
  const addresses = siteAddressesAt('https://sites.example.net', 'https://preview.example.net');
  return insertChange(ProjectModel, tenant, initialProject(draft, addresses, new Date().toISOString()));
};

/** Backdates the latest slot by `ms`. */
const age = (clientId: string, ms: number) =>
  mongoose.connection
    .collection<{ _id: string }>('site_slots')
    .updateOne({ _id: clientId }, { $set: { taken_at: new Date(Date.now() - ms) } });

test('of 20 concurrent requests exactly max_sites acquire a slot', async () => {
  const [tenant, allowance] = [newTenant(), newAllowance(3)];
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => acquireSiteSlot(tenant, allowance, randomUUID())));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual(Array(17).fill({ status: 'rejected', reason: full }));
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({ used: 3 });
});

test('repeated and concurrent requests of a project acquire one slot, even if the plan is full', async () => {
  const [tenant, allowance, project] = [newTenant(), newAllowance(1), randomUUID()];
  await Promise.all(Array.from({ length: 10 }, () => acquireSiteSlot(tenant, allowance, project)));
  await acquireSiteSlot(tenant, allowance, project);
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({ used: 1, projects: [project] });
});

test('a plan without sites has no slots', async () => {
  await expect(acquireSiteSlot(newTenant(), newAllowance(0), randomUUID())).rejects.toEqual(full);
});

test('without a plan every request succeeds and is recorded', async () => {
  const [tenant, allowance] = [newTenant(), newAllowance()];
  await Promise.all(Array.from({ length: 5 }, () => acquireSiteSlot(tenant, allowance, randomUUID())));
  await expect(acquireSiteSlot(tenant, { ...allowance, max_sites: 5 }, randomUUID())).rejects.toEqual(full);
});

test('a slot that is released twice is free once', async () => {
  const [tenant, allowance, project] = [newTenant(), newAllowance(1), randomUUID()];
  await acquireSiteSlot(tenant, allowance, project);
  await releaseSiteSlot(tenant, allowance.client_id, project);
  await releaseSiteSlot(tenant, allowance.client_id, project);
  await acquireSiteSlot(tenant, allowance, randomUUID());
  await expect(acquireSiteSlot(tenant, allowance, randomUUID())).rejects.toEqual(full);
});

test('a slot whose project was never inserted is free after a minute, slots of projects are not', async () => {
  const [tenant, allowance, made] = [newTenant(), newAllowance(2), randomUUID()];
  await acquireSiteSlot(tenant, allowance, made);
  await insertProject(tenant, made);
  await acquireSiteSlot(tenant, allowance, randomUUID());
  await age(allowance.client_id, 1_000);
  await expect(acquireSiteSlot(tenant, allowance, randomUUID())).rejects.toEqual(full);
  await age(allowance.client_id, 61_000);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => acquireSiteSlot(tenant, allowance, randomUUID())));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({
    used: 2,
    projects: expect.arrayContaining([made]),
  });
});
