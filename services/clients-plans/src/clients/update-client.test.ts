import { call, type RequestOf } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { present, refusal } from '../testing/expectations.ts';
import { newClient, newPlan } from '../testing/records.ts';
import { newOrganization, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';

const stream = useClientsPlans();

type Fields = Omit<RequestOf<'clients.UpdateClient'>, 'client_id' | 'update_mask'>;

/** A PATCH as the gateway sends it: the mask names the fields of the body, including null ones. */
const patch = (org: string, client_id: string, fields: Fields, ifMatch?: string) =>
  call('clients.UpdateClient', { client_id, ...fields, update_mask: Object.keys(fields) }, testCaller(org, { ifMatch }));

const updatesOf = async (org: string) => (await published(stream, 'client.updated')).filter(({ org_id }) => org_id === org);

test('only the named fields change, and one client.updated contains their old values', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
  const { client, etag } = await patch(org, id, { company: 'Engines', status: 'active' });
  expect(client).toMatchObject({ id, name: 'Ada', company: 'Engines', status: 'active' });
  expect(etag).toBe('"r2"');
  expect((await updatesOf(org)).map(({ data }) => data)).toEqual([
    { client: { ...client, plan_id: null }, previous: { company: null, status: 'invited' } },
  ]);
});

test('a PATCH that changes nothing keeps the etag and raises no event', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com', name: 'Ada' });
  for (const fields of [{}, { name: 'Ada' }, { company: null, status: 'invited' }]) {
    expect((await patch(org, id, fields)).etag).toBe('"r1"');
  }
  expect(await updatesOf(org)).toEqual([]);
});

test('null clears name and company and detaches the plan', async () => {
  const org = newOrganization();
  const plan_id = await newPlan(org);
  const id = await newClient(org, { email: 'ada@example.com', name: 'Ada', plan_id });
  const { client } = await patch(org, id, { name: null, plan_id: null });
  expect(client).not.toHaveProperty('name');
  expect(client).not.toHaveProperty('plan_id');
  expect((await updatesOf(org)).map(({ data }) => data.previous)).toEqual([{ name: 'Ada', plan_id }]);
});

test('a plan is attached if the organization has it', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com' });
  const plan_id = await newPlan(org);
  expect(present((await patch(org, id, { plan_id })).client).plan_id).toBe(plan_id);
  const foreign = await newPlan(newOrganization());
  for (const unknown of [foreign, newOrganization()]) {
    await expect(patch(org, id, { plan_id: unknown, name: 'Ada' })).rejects.toEqual(refusal('plan_unknown'));
  }
  const { client } = await call('clients.GetClient', { client_id: id }, testCaller(org));
  expect(client).toMatchObject({ plan_id });
  expect(client).not.toHaveProperty('name');
});

test('another organization’s id, an unknown id and a malformed id all give client_not_found, and nothing is published', async () => {
  const owner = newOrganization();
  const foreign = await newClient(owner, { email: 'ada@example.com' });
  for (const id of [foreign, newOrganization(), 'nonsense']) {
    await expect(patch(newOrganization(), id, { status: 'active' })).rejects.toEqual(refusal('client_not_found'));
  }
  expect(await updatesOf(owner)).toEqual([]);
});

test('If-Match with another etag is refused and changes nothing; with the current one, or *, it passes', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com' });
  await expect(patch(org, id, { name: 'Ada' }, '"r7"')).rejects.toEqual(refusal('edited_meanwhile'));
  expect((await patch(org, id, { name: 'Ada' }, '"r1"')).etag).toBe('"r2"');
  expect((await patch(org, id, { name: 'Lovelace' }, '*')).etag).toBe('"r3"');
});

test('of two concurrent PATCHes with the same If-Match one wins and the other is refused', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com' });
  const outcomes = await Promise.allSettled(['Ada', 'Byron'].map((name) => patch(org, id, { name }, '"r1"')));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason)).toEqual([refusal('edited_meanwhile')]);
  expect(await updatesOf(org)).toHaveLength(1);
});

test('concurrent PATCHes without If-Match all succeed, and each event contains the values it replaced', async () => {
  const org = newOrganization();
  const id = await newClient(org, { email: 'ada@example.com' });
  await Promise.all([patch(org, id, { name: 'Ada' }), patch(org, id, { company: 'Engines' }), patch(org, id, { status: 'active' })]);
  const { client } = await call('clients.GetClient', { client_id: id }, testCaller(org));
  expect(client).toMatchObject({ name: 'Ada', company: 'Engines', status: 'active' });
  const previous = (await updatesOf(org)).map(({ data }) => data.previous);
  expect(previous).toHaveLength(3);
  expect(Object.assign({}, ...previous)).toEqual({ name: null, company: null, status: 'invited' });
});

test('a mask that names fields that cannot be changed has no effect', async () => {
  const org = newOrganization();
  const client_id = await newClient(org, { email: 'ada@example.com' });
  const update_mask = ['email', 'payment_status', 'user_id', 'client_id', 'org_id', '__proto__', 'update_mask'];
  const { etag } = await call('clients.UpdateClient', { client_id, update_mask }, testCaller(org));
  expect(etag).toBe('"r1"');
});
