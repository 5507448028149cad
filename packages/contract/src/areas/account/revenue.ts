import * as z from 'zod';
import { clamped, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

const money = (what: string) => z.number().describe(`${what}, in major units`);

const RevenueMonth = z
  .object({
    month: z.string().describe('As in 2026-03, in the time zone of the payment settings'),
    paid: money('What was paid in it'),
    refunded: money('What was paid back in it'),
    opened: z.int().describe('Subscriptions that were opened'),
    canceled: z.int().describe('Subscriptions that ended after having been paid'),
    churn: z.number().describe('The share of those paying at its beginning that ended in it, 0 to 1'),
  })
  .meta({ id: 'RevenueMonth', description: 'What happened in a month' });

const PlanRevenue = z
  .object({
    plan_id: Uuid.describe('The plan'),
    name: z.string().describe('As the plan is called'),
    mrr: money('Its part'),
    subscriptions: z.int().describe('Live subscriptions to it that were paid once'),
  })
  .meta({ id: 'PlanRevenue', description: 'What a plan brings in' });

export const Revenue = z
  .object({
    currency: z.string().describe('ISO 4217'),
    mrr: money('What live subscriptions that were paid once bring in a month; yearly ones count a twelfth'),
    subscriptions: z.int().describe('The number of these'),
    past_due: money('What is overdue'),
    past_due_clients: z.int().describe('How many clients have an overdue order'),
    months: z.array(RevenueMonth).describe('Oldest first, the present one last'),
    plans: z.array(PlanRevenue).describe('The largest first'),
  })
  .meta({ id: 'Revenue', description: "What an organization's plans bring in" });
export type Revenue = z.infer<typeof Revenue>;

export const getRevenue = defineOperation({
  method: 'GET',
  path: '/account/revenue',
  area: 'organization',
  tag: 'Organization',
  summary: 'Read recurring revenue, payments by month, churn and what is overdue',
  description: 'Computed from subscriptions and orders; amounts are in major units of the currency, in which all of them are.',
  permission: 'read',
  roles: ['owner', 'admin'],
  rpc: 'billing.GetRevenue',
  input: z.object({ months: clamped('How many months to look back, the present one included', 12, 1, 24) }),
  output: z.object({ revenue: Revenue }),
  success: 200,
  etag: false,
  errors: [],
});
