import * as z from 'zod';
import { count, Description, Flag, Name, OptionalPage, oneOf, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';

export const Interval = oneOf(['monthly', 'yearly']);
const Price = z
  .number({ error: 'must be a number' })
  .min(0, 'must be at least 0')
  .max(1_000_000_000, 'must be at most 1000000000')
  .describe("In major units of the organization's currency");

export const Plan = z
  .object({
    id: Uuid,
    name: Name,
    description: Description.nullable(),
    price: Price,
    interval: Interval,
    max_sites: z.int(),
    max_ai_messages_daily: z.int(),
    can_export_code: z.boolean(),
    can_use_custom_domain: z.boolean(),
    is_active: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: 'Plan', description: 'What a client is offered, and for which price' });
export type Plan = z.infer<typeof Plan>;

const tag = 'Plans';

export const listPlans = defineOperation({
  method: 'GET',
  path: '/plans',
  tag,
  summary: "List the organization's plans, by sort_order, then newest first",
  permission: 'read',
  rpc: 'plans.ListPlans',
  input: z.object(OptionalPage),
  output: z.object({ plans: z.array(Plan), total: Total }),
  success: 200,
  errors: [],
});

export const createPlan = defineOperation({
  method: 'POST',
  path: '/plans',
  tag,
  summary: 'Create a plan; it can be attached to clients at once',
  permission: 'write',
  roles: ['owner', 'admin'],
  rpc: 'plans.CreatePlan',
  input: z.strictObject({
    name: Name,
    price: Price,
    description: Description.nullish(),
    interval: Interval.default('monthly'),
    max_sites: count().default(3),
    max_ai_messages_daily: count().default(50),
    can_export_code: Flag.default(false),
    can_use_custom_domain: Flag.default(false),
  }),
  output: z.object({ plan: Plan }),
  success: 201,
  errors: [],
});

export const getPlan = defineOperation({
  method: 'GET',
  path: '/plans/{planId}',
  tag,
  summary: 'Read one plan',
  permission: 'read',
  rpc: 'plans.GetPlan',
  output: z.object({ plan: Plan }),
  success: 200,
  errors: ['plan_not_found'],
});

export const updatePlan = defineOperation({
  method: 'PATCH',
  path: '/plans/{planId}',
  tag,
  summary: 'Change the fields that the body names',
  description: 'Existing subscriptions keep their price until renewed. Making a plan the default takes that from the plan that had it.',
  permission: 'write',
  roles: ['owner', 'admin'],
  rpc: 'plans.UpdatePlan',
  input: z
    .strictObject({
      name: Name,
      description: Description.nullable(),
      price: Price,
      interval: Interval,
      max_sites: count(),
      max_ai_messages_daily: count(),
      can_export_code: Flag,
      can_use_custom_domain: Flag,
      is_default: Flag,
      is_active: Flag,
      sort_order: count(-1_000_000),
    })
    .partial(),
  output: z.object({ plan: Plan }),
  success: 200,
  errors: ['plan_not_found'],
});
