import { call, type RequestOf } from '@webkiln/rpc';
import { nextMillisecond, requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { loseOutcome } from '../testing/died-attempt.ts';
import { present, refusal } from '../testing/expectations.ts';
import { newPlan } from '../testing/records.ts';
import { newOrganization, repeatable, useClientsPlans } from '../testing/running-service.ts';
import { published } from '../testing/test-stream.ts';
import { offersAllowing, planPage } from './plan-store.ts';

const stream = useClientsPlans();

// The rule as it would be if changes of plans had an event of their own.
jest.mock('./plan.ts', () => {
  const rules = jest.requireActual('./plan.ts');
  const raised = ({ _id }: { _id: string }) => [{ type: 'internal.template.deleted', data: { template_id: _id } }];
  const changePlan = (plan: { _id: string }, wanted: object) => rules.changePlan(plan, wanted)?.withEvents(raised(plan)) ?? null;
  return { ...rules, changePlan };
});

const draft = {
  name: 'Studio',
  description: 'For studios',
  price: 19.9,
  interval: 'yearly',
  max_sites: 3,
  max_ai_messages_daily: 50,
  can_export_code: true,
  can_use_custom_domain: false,
};
type Fields = Omit<RequestOf<'plans.UpdatePlan'>, 'plan_id' | 'update_mask'>;

const patch = (org: string, plan_id: string, fields: Fields, ifMatch?: string) =>
  call('plans.UpdatePlan', { plan_id, ...fields, update_mask: Object.keys(fields) }, testCaller(org, { ifMatch }));
const names = async (org: string, page: { limit?: number; offset?: number } = {}) =>
  (await call('plans.ListPlans', page, testCaller(org))).plans.map(({ name }) => name);
const defaultPlansOf = async (org_id: string) => {
  const found = await mongoose.connection.collection('default_plans').find({ org_id }).toArray();
  return found.map(({ plan_id }) => plan_id);
};

test('a new plan is active and has the fields that were sent', async () => {
  const { plan, etag } = await call('plans.CreatePlan', draft, testCaller(newOrganization()));
  expect(plan).toEqual({ ...draft, id: expect.stringMatching(/^[0-9a-f-]{36}$/), is_active: true, created_at: expect.any(String) });
  expect(etag).toBe('"r1"');
});

test('a request to create a plan that is retried after a crash creates one plan', async () => {
  const org = newOrganization();
  const key = newOrganization();
  const create = () => call('plans.CreatePlan', draft, testCaller(org, repeatable(key)));
  const first = await create();
  await loseOutcome(key);
  expect(await create()).toEqual(first);
  expect(await names(org)).toEqual(['Studio']);
});

test('a plan is read with its etag; another organization’s, unknown and malformed ids all give plan_not_found', async () => {
  const org = newOrganization();
  const plan_id = await newPlan(org);
  expect(await call('plans.GetPlan', { plan_id }, testCaller(org))).toMatchObject({ plan: { id: plan_id }, etag: '"r1"' });
  const foreign = await newPlan(newOrganization());
  for (const unknown of [foreign, newOrganization(), 'nonsense']) {
    await expect(call('plans.GetPlan', { plan_id: unknown }, testCaller(org))).rejects.toEqual(refusal('plan_not_found'));
    await expect(patch(org, unknown, { is_default: true })).rejects.toEqual(refusal('plan_not_found'));
  }
  expect(await defaultPlansOf(org)).toEqual([]);
});

test('the list contains only the organization’s plans, by sort_order, then newest first', async () => {
  const org = newOrganization();
  await newPlan(newOrganization(), { name: 'Foreign' });
  const first = await newPlan(org, { name: 'First' });
  await nextMillisecond();
  await newPlan(org, { name: 'Second' });
  await nextMillisecond();
  const third = await newPlan(org, { name: 'Third' });
  expect(await names(org)).toEqual(['Third', 'Second', 'First']);
  await patch(org, third, { sort_order: 5 });
  await patch(org, first, { sort_order: -5 });
  expect(await names(org)).toEqual(['First', 'Second', 'Third']);
  expect(await names(org, { limit: 1, offset: 1 })).toEqual(['Second']);
  expect((await call('plans.ListPlans', { limit: 1 }, testCaller(org))).total).toBe(3);
});

test('the list is read from an index in order', async () => {
  const org = newOrganization();
  await newPlan(org);
  const operations = await requestsOn('plans', () => planPage({ org_id: org }, { limit: 50, offset: 0 }));
  const found = operations.find(({ op }) => op === 'query');
  expect(found).toMatchObject({ planSummary: 'IXSCAN { org_id: 1, sort_order: 1, created_at: -1, _id: 1 }', docsExamined: 1 });
  expect(found).not.toHaveProperty('hasSortStage');
});

test('the cheapest plan that allows more is read from an index in order: what costs more is not looked at', async () => {
  const org = newOrganization();
  for (const price of [30, 10, 20]) await newPlan(org, { price, max_sites: 3 });
  const operations = await requestsOn('plans', async () => expect(await offersAllowing({ org_id: org }, 'max_sites', 1)).toHaveLength(1));
  for (const operation of operations) {
    expect(operation).toMatchObject({ planSummary: expect.stringContaining('interval: 1, price: 1') });
    expect(operation).not.toHaveProperty('hasSortStage');
  }
  expect(operations.map(({ docsExamined }) => docsExamined).sort()).toEqual([0, 1]);
});

test('only the named fields change; setting the current value is no change', async () => {
  const org = newOrganization();
  const { plan } = await call('plans.CreatePlan', draft, testCaller(org));
  const { id } = present(plan);
  const changed = await patch(org, id, { price: 0, description: null, is_active: false });
  const { description: _, ...rest } = draft;
  expect(changed.plan).toEqual({ ...rest, id, price: 0, is_active: false, created_at: present(plan).created_at });
  expect(changed.etag).toBe('"r2"');
  expect((await patch(org, id, { price: 0, name: 'Studio' })).etag).toBe('"r2"');
});

test('an event that the rule raises is published beside the audit of the act', async () => {
  const org = newOrganization();
  const id = await newPlan(org);
  await patch(org, id, { price: 0 });
  const ofPlan = ({ org_id }: { org_id: string }) => org_id === org;
  expect((await published(stream, 'internal.template.deleted')).filter(ofPlan)).toMatchObject([{ data: { template_id: id } }]);
  const acts = (await published(stream, 'internal.audited')).filter(ofPlan).map(({ data }) => data.action);
  expect(acts).toEqual(['plan.created', 'plan.changed']);
});

test('If-Match with another etag is refused and changes nothing, not even the default', async () => {
  const org = newOrganization();
  const id = await newPlan(org);
  await expect(patch(org, id, { name: 'Pro', is_default: true }, '"r7"')).rejects.toEqual(refusal('edited_meanwhile'));
  expect(await names(org)).toEqual(['Studio']);
  expect(await defaultPlansOf(org)).toEqual([]);
});

test('making a plan the default replaces the previous default, only in this organization', async () => {
  const [org, other] = [newOrganization(), newOrganization()];
  const [one, two, foreign] = [await newPlan(org), await newPlan(org), await newPlan(other)];
  await patch(other, foreign, { is_default: true });
  await patch(org, one, { is_default: true });
  expect(await defaultPlansOf(org)).toEqual([one]);
  await patch(org, two, { is_default: true });
  expect(await defaultPlansOf(org)).toEqual([two]);
  expect(await defaultPlansOf(other)).toEqual([foreign]);
});

test('is_default: false on another plan does not affect the default', async () => {
  const org = newOrganization();
  const [one, two] = [await newPlan(org), await newPlan(org)];
  await patch(org, one, { is_default: true });
  await patch(org, two, { is_default: false });
  expect(await defaultPlansOf(org)).toEqual([one]);
  await patch(org, one, { is_default: false });
  expect(await defaultPlansOf(org)).toEqual([null]);
});

test('of ten plans concurrently made the default exactly one is', async () => {
  const org = newOrganization();
  const plans = await Promise.all(Array.from({ length: 10 }, () => newPlan(org)));
  await Promise.all(plans.map((id) => patch(org, id, { is_default: true })));
  const [id, ...others] = await defaultPlansOf(org);
  expect(others).toEqual([]);
  expect(plans).toContain(id);
});
