import { randomUUID } from 'node:crypto';
import { insertChange, scoped } from '@webkiln/store';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { siteAddressesAt } from '../deploys/site-addresses.ts';
import { openProject } from '../projects/project.ts';
import { ProjectModel } from '../projects/project-store.ts';
import { giveSiteSlotBack, SiteSlotModel, takeSiteSlot } from './site-slot-store.ts';

useTestStore();

const newTenant = () => ({ org_id: randomUUID() });
const newAllowance = (max_sites?: number) => ({ client_id: randomUUID(), max_sites });
const full = expect.objectContaining({ code: 'plan_limit_reached' });

const makeProject = (tenant: { org_id: string }, _id: string) => {
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
  return insertChange(ProjectModel, tenant, openProject(draft, addresses, new Date().toISOString()));
};

/** As if the last slot had been taken `ms` ago. */
const age = (clientId: string, ms: number) =>
  mongoose.connection
    .collection<{ _id: string }>('site_slots')
    .updateOne({ _id: clientId }, { $set: { taken_at: new Date(Date.now() - ms) } });

test('of 20 that want a slot at once exactly max_sites get one', async () => {
  const [tenant, allowance] = [newTenant(), newAllowance(3)];
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => takeSiteSlot(tenant, allowance, randomUUID())));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual(Array(17).fill({ status: 'rejected', reason: full }));
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({ used: 3 });
});

test('a project takes its slot once, however often and however concurrently it is asked, even where the plan is full', async () => {
  const [tenant, allowance, project] = [newTenant(), newAllowance(1), randomUUID()];
  await Promise.all(Array.from({ length: 10 }, () => takeSiteSlot(tenant, allowance, project)));
  await takeSiteSlot(tenant, allowance, project);
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({ used: 1, projects: [project] });
});

test('a plan without sites gives none', async () => {
  await expect(takeSiteSlot(newTenant(), newAllowance(0), randomUUID())).rejects.toEqual(full);
});

test('without a plan nothing is refused and all is recorded', async () => {
  const [tenant, allowance] = [newTenant(), newAllowance()];
  await Promise.all(Array.from({ length: 5 }, () => takeSiteSlot(tenant, allowance, randomUUID())));
  await expect(takeSiteSlot(tenant, { ...allowance, max_sites: 5 }, randomUUID())).rejects.toEqual(full);
});

test('a slot given back is free, once', async () => {
  const [tenant, allowance, project] = [newTenant(), newAllowance(1), randomUUID()];
  await takeSiteSlot(tenant, allowance, project);
  await giveSiteSlotBack(tenant, allowance.client_id, project);
  await giveSiteSlotBack(tenant, allowance.client_id, project);
  await takeSiteSlot(tenant, allowance, randomUUID());
  await expect(takeSiteSlot(tenant, allowance, randomUUID())).rejects.toEqual(full);
});

test('a slot whose project never appeared is free again after a minute, those of projects are not', async () => {
  const [tenant, allowance, made] = [newTenant(), newAllowance(2), randomUUID()];
  await takeSiteSlot(tenant, allowance, made);
  await makeProject(tenant, made);
  await takeSiteSlot(tenant, allowance, randomUUID());
  await age(allowance.client_id, 1_000);
  await expect(takeSiteSlot(tenant, allowance, randomUUID())).rejects.toEqual(full);
  await age(allowance.client_id, 61_000);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => takeSiteSlot(tenant, allowance, randomUUID())));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await scoped(SiteSlotModel, tenant).findOne({ _id: allowance.client_id })).toMatchObject({
    used: 2,
    projects: expect.arrayContaining([made]),
  });
});
