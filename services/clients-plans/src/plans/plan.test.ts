import { changePlan, cheapestOf, openPlan, type PlanState, toPlan } from './plan.ts';

const draft = {
  _id: 'p1',
  name: 'Studio',
  description: null,
  price: 19.9,
  interval: 'monthly' as const,
  max_sites: 3,
  max_ai_messages_daily: 50,
  can_export_code: false,
  can_use_custom_domain: true,
};
const plan = openPlan(draft, '2026-01-01T00:00:00.000Z').state;

test('a new plan is active', () => {
  expect(plan).toMatchObject({ is_active: true, sort_order: 0 });
});

test('sort_order is stored but not public', () => {
  const { _id, ...shown } = draft;
  expect(toPlan(plan)).toEqual({ ...shown, id: _id, is_active: true, created_at: '2026-01-01T00:00:00.000Z' });
});

test('only fields with a new value change', () => {
  expect(changePlan(plan, { name: 'Studio', price: 0, sort_order: -1 })?.state).toEqual({ price: 0, sort_order: -1 });
});

test('a field that cannot be changed is ignored', () => {
  expect(changePlan(plan, { _id: 'p2', created_at: '' } as Partial<PlanState>)).toBeNull();
});

test('the cheapest plan is found by its price of a month; of equal ones the first', () => {
  const offer = (name: string, price: number, interval: PlanState['interval']) => ({ ...plan, name, price, interval });
  const plans = [offer('large', 30, 'monthly'), offer('yearly', 240, 'yearly'), offer('same', 20, 'monthly')];
  expect(cheapestOf(plans)).toMatchObject({ name: 'yearly' });
  expect(cheapestOf(plans.toReversed())).toMatchObject({ name: 'same' });
  expect(cheapestOf([])).toBeUndefined();
});
