import { Plan } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { makePlan } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

test('createPlan: answers 201 with exactly the contract fields and their defaults', async () => {
  const { body } = (await ours.api.post('/plans', { name: 'Care', price: 0 })).expect(201);
  expect(Object.keys(body)).toEqual(['plan']);
  expect(Object.keys(body.plan).sort()).toEqual(Object.keys(Plan.shape).sort());
  expect(body.plan).toMatchObject({
    name: 'Care',
    description: null,
    price: 0,
    interval: 'monthly',
    max_sites: 3,
    max_ai_messages_daily: 50,
    can_export_code: false,
    can_use_custom_domain: false,
    is_active: true,
  });
});

test('createPlan: stores every field in the body', async () => {
  const fields = {
    name: 'Pro',
    price: 49.5,
    description: 'All',
    interval: 'yearly',
    max_sites: 20,
    max_ai_messages_daily: 500,
    can_export_code: true,
    can_use_custom_domain: true,
  };
  expect((await ours.api.post('/plans', fields)).expect(201).body.plan).toMatchObject(fields);
});

test.each([
  ['no name', { price: 1 }, 'name: is required.'],
  ['no price', { name: 'A' }, 'price: is required.'],
  ['a negative price', { name: 'A', price: -0.01 }, 'price: must be at least 0.'],
  ['an unknown interval', { name: 'A', price: 1, interval: 'weekly' }, 'interval: must be one of monthly, yearly.'],
])('createPlan: answers 400 to %s and says so', async (_case, body, error) => {
  expect((await ours.api.post('/plans', body)).expect(400, 'validation_failed').body.error).toBe(error);
});

test('getPlan: answers 200 with the plan', async () => {
  const plan = await makePlan(ours.api);
  expect((await ours.api.get(`/plans/${plan.id}`)).expect(200).body).toEqual({ plan });
});

test('updatePlan: changes only the fields in the body', async () => {
  const plan = await makePlan(ours.api);
  const change = { price: 31, is_active: false, max_sites: 7, description: 'More' };
  expect((await ours.api.patch(`/plans/${plan.id}`, change)).expect(200).body.plan).toEqual({ ...plan, ...change });
});

test('listPlans: sorts by sort_order, then newest first', async () => {
  const { api } = await agency();
  const first = await makePlan(api);
  const second = await makePlan(api);
  const third = await makePlan(api);
  (await api.patch(`/plans/${third.id}`, { sort_order: 5 })).expect(200);
  const { body } = (await api.get('/plans')).expect(200);
  expect(body.plans.map(({ id }: Plan) => id)).toEqual([second.id, first.id, third.id]);
  expect(body.total).toBe(3);
});

test('updatePlan: accepts is_default and does not return it', async () => {
  const plan = await makePlan(ours.api);
  expect((await ours.api.patch(`/plans/${plan.id}`, { is_default: true })).expect(200).body.plan).toEqual(plan);
});

test('updatePlan: a new price does not change the clients of the plan', async () => {
  const plan = await makePlan(ours.api);
  const client = (await ours.api.post('/clients', { email: `p-${plan.id}@example.test`, plan_id: plan.id })).expect(201).body.client;
  (await ours.api.patch(`/plans/${plan.id}`, { price: 99 })).expect(200);
  expect((await ours.api.get(`/clients/${client.id}`)).body.client).toEqual(client);
});
