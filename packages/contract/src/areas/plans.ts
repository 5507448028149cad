import * as z from 'zod';
import { agentTexts } from '../agents/agent-texts.ts';
import { CreatedAt, count, Description, Flag, Name, OptionalPage, oneOf, RecordId, Total } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';

export const Interval = oneOf(['monthly', 'yearly']).meta({ id: 'PlanInterval', description: 'How often the price is charged' });
const Price = z
  .number({ error: 'must be a number' })
  .min(0, 'must be at least 0')
  .max(1_000_000_000, 'must be at most 1000000000')
  .describe(
    "What an interval costs, in major units of the organization's currency (29.5 is 29.50); 0: it costs nothing, and nobody subscribes to it",
  )
  .register(agentTexts, { text: "In major units of the organization's currency" });

export const Plan = z
  .object({
    id: RecordId,
    name: Name.describe('As clients and invoices see it; 1 to 200 characters'),
    description: Description.nullable().describe('What the plan offers, for clients to read; null if there is none'),
    price: Price,
    interval: Interval,
    max_sites: z.int().describe('How many projects a client on it may own; what is beyond is refused with `plan_limit_reached`'),
    max_ai_messages_daily: z.int().describe("How many messages a client's users may send to the builder on one UTC day"),
    can_export_code: z.boolean().describe('True if its clients may download the files of their projects'),
    can_use_custom_domain: z.boolean().describe('True if its clients may connect domains of their own'),
    is_active: z.boolean().describe('False: it is not offered any more. Clients who are on it stay'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Plan', description: 'What a client is offered, and for which price' })
  .register(agentTexts, { asDescribed: true });
export type Plan = z.infer<typeof Plan>;

const tag = 'Plans';

export const listPlans = defineOperation({
  method: 'GET',
  path: '/plans',
  tag,
  summary: "List the organization's plans, by sort_order, then newest first",
  description: 'Also plans that are not offered any more (`is_active` false). Plans have no DELETE: switch them off.',
  permission: 'read',
  rpc: 'plans.ListPlans',
  input: z.object(OptionalPage),
  output: z.object({
    plans: z.array(Plan).describe('The plans, by `sort_order`, then newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const createPlan = defineOperation({
  method: 'POST',
  path: '/plans',
  tag,
  summary: 'Create a plan; it can be attached to clients at once',
  description: 'A plan with a price opens a subscription for each client that is put on it.',
  permission: 'write',
  roles: ['owner', 'admin'],
  rpc: 'plans.CreatePlan',
  input: z.strictObject({
    name: Name.describe('As clients and invoices see it'),
    price: Price,
    description: Description.nullish().describe('What the plan offers; left out, null or empty: nothing is said'),
    interval: Interval.default('monthly').describe('How often the price is charged; monthly by default'),
    max_sites: count().default(3).describe('How many projects a client on it may own, 0 to 1,000,000; 3 by default'),
    max_ai_messages_daily: count()
      .default(50)
      .describe("How many messages a client's users may send to the builder on one UTC day, 0 to 1,000,000; 50 by default"),
    can_export_code: Flag.default(false).describe('True: its clients may download the files of their projects. False by default'),
    can_use_custom_domain: Flag.default(false).describe('True: its clients may connect domains of their own. False by default'),
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
  description: 'A plan of another organization answers 404, like one that does not exist.',
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
      name: Name.describe('As clients and invoices see it'),
      description: Description.nullable().describe('What the plan offers; null or empty: nothing is said'),
      price: Price,
      interval: Interval.describe('How often the price is charged, for periods from the next renewal on'),
      max_sites: count().describe(
        'How many projects a client on it may own. A client that has more keeps them, and makes no more until it fits',
      ),
      max_ai_messages_daily: count().describe("How many messages a client's users may send to the builder on one UTC day"),
      can_export_code: Flag.describe('True: its clients may download the files of their projects'),
      can_use_custom_domain: Flag.describe('True: its clients may connect domains of their own. Domains that they have stay'),
      is_default: Flag.describe('True: people who join by a build link get it. At most one plan is the default'),
      is_active: Flag.describe('False: it is not offered any more. Clients who are on it stay'),
      sort_order: count(-1_000_000).describe('Its place in lists, the smallest first: -1,000,000 to 1,000,000; a new plan has 0'),
    })
    .partial(),
  output: z.object({ plan: Plan }),
  success: 200,
  errors: ['plan_not_found'],
});
