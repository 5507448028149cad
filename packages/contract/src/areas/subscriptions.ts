import * as z from 'zod';
import { OptionalPage, oneOf, optionalText, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { providers } from './orders.ts';
import { Interval } from './plans.ts';

export const subscriptionStatuses = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled'] as const;

export const Subscription = z
  .object({
    id: Uuid,
    client_id: Uuid,
    plan_id: Uuid,
    status: oneOf(subscriptionStatuses).describe('`incomplete`: its first order is not paid yet'),
    amount: z.number().describe('What a period costs, as it was when the period began; in major units of `currency`'),
    currency: z.string().describe('ISO 4217'),
    interval: Interval,
    provider: oneOf(providers),
    period_start: Timestamp,
    period_end: Timestamp.describe('When it is renewed, or ends'),
    trial_ends_at: Timestamp.nullable(),
    cancel_at_period_end: z.boolean(),
    next_plan_id: Uuid.nullable().describe('The plan that it changes to when it is renewed'),
    past_due_since: Timestamp.nullable(),
    paused_at: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Subscription', description: "A client's contract for a priced plan" });
export type Subscription = z.infer<typeof Subscription>;

const invoiceText = (max: number) => optionalText(max).nullable();

export const BillingDetails = z
  .object({
    name: invoiceText(200).describe("Whom its invoices name; null: the client's company or name"),
    address: invoiceText(1000).describe('As it is printed, with line breaks'),
    tax_id: invoiceText(100),
  })
  .meta({ id: 'BillingDetails', description: "What a client's invoices say of it" });
export type BillingDetails = z.infer<typeof BillingDetails>;

const tag = 'Subscriptions';
const roles = ['owner', 'admin'] as const;
const output = z.object({ subscription: Subscription });
const write = { method: 'POST', tag, permission: 'write', roles, output, success: 200, etag: false } as const;

export const listSubscriptions = defineOperation({
  method: 'GET',
  path: '/subscriptions',
  tag,
  summary: 'List subscriptions, newest first',
  permission: 'read',
  roles,
  rpc: 'billing.ListSubscriptions',
  input: z.object(OptionalPage),
  output: z.object({ subscriptions: z.array(Subscription), total: Total }),
  success: 200,
  errors: [],
});

export const getSubscription = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/subscription',
  tag,
  summary: "Read a client's subscription, the last one if it has ended",
  permission: 'read',
  roles,
  rpc: 'billing.GetSubscription',
  output,
  success: 200,
  etag: false,
  errors: ['client_not_found', 'subscription_not_found'],
});

export const openSubscription = defineOperation({
  ...write,
  path: '/clients/{clientId}/subscription',
  summary: "Subscribe a client to a priced plan, which becomes the client's plan",
  description:
    'The plan of a client is also set by `POST /clients` and `PATCH /clients/{clientId}`, which open a subscription in the same way. This is for a client whose plan was attached before, or whose subscription has ended.',
  rpc: 'billing.OpenSubscription',
  input: z.strictObject({ plan_id: Uuid }),
  success: 201,
  errors: ['client_not_found', 'plan_unknown', 'plan_not_priced', 'subscription_live'],
});

export const cancelSubscription = defineOperation({
  ...write,
  path: '/clients/{clientId}/subscription/cancel',
  summary: 'End a subscription now, or when its period ends',
  description:
    'A paused one ends now. Ended now, its open orders are canceled. What was paid stays paid: refund an order with `PATCH /orders/{orderId}`.',
  rpc: 'billing.CancelSubscription',
  input: z.strictObject({ at: oneOf(['now', 'period_end']).default('period_end') }),
  errors: ['client_not_found', 'subscription_not_found'],
});

export const pauseSubscription = defineOperation({
  ...write,
  path: '/clients/{clientId}/subscription/pause',
  summary: 'Stop renewing a subscription until it is resumed',
  description: 'The time that was left of its period is left when it is resumed.',
  rpc: 'billing.PauseSubscription',
  input: z.strictObject({}),
  errors: ['client_not_found', 'subscription_not_found', 'subscription_not_paid'],
});

export const resumeSubscription = defineOperation({
  ...write,
  path: '/clients/{clientId}/subscription/resume',
  summary: 'Go on with a paused subscription, or with one that would end with its period',
  rpc: 'billing.ResumeSubscription',
  input: z.strictObject({}),
  errors: ['client_not_found', 'subscription_not_found'],
});

export const changeSubscriptionPlan = defineOperation({
  ...write,
  path: '/clients/{clientId}/subscription/plan',
  summary: 'Change the plan of a subscription, now or when it is renewed',
  description:
    "Now: what the rest of the period costs more is charged at once; a lower price applies from the next renewal on. From monthly to yearly a new period begins, and what is left of the paid one counts towards it. At the renewal: until then the client keeps its plan; the client's own plan names nothing that is pending.",
  rpc: 'billing.ChangeSubscriptionPlan',
  input: z.strictObject({ plan_id: Uuid, at: oneOf(['now', 'renewal']).default('now') }),
  errors: ['client_not_found', 'subscription_not_found', 'plan_unknown', 'plan_not_priced'],
});

export const getBillingDetails = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/billing-details',
  tag,
  summary: "Read what a client's invoices say of it",
  permission: 'read',
  roles,
  rpc: 'billing.GetBillingDetails',
  output: z.object({ billing_details: BillingDetails }),
  success: 200,
  etag: false,
  errors: ['client_not_found'],
});

export const updateBillingDetails = defineOperation({
  method: 'PATCH',
  path: '/clients/{clientId}/billing-details',
  tag,
  summary: 'Change the fields that the body names, for invoices from now on',
  permission: 'write',
  roles,
  rpc: 'billing.UpdateBillingDetails',
  input: z.strictObject(BillingDetails.shape).partial(),
  output: z.object({ billing_details: BillingDetails }),
  success: 200,
  etag: false,
  errors: ['client_not_found'],
});
