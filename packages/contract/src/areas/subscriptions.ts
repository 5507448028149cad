import * as z from 'zod';
import { CreatedAt, OptionalPage, oneOf, optionalText, RecordId, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { PaymentProvider } from './orders.ts';
import { Interval } from './plans.ts';

export const subscriptionStatuses = ['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled'] as const;

const SubscriptionStatus = oneOf(subscriptionStatuses).meta({
  id: 'SubscriptionStatus',
  description:
    '`incomplete`: its first order is not paid yet; `trialing`: free until `trial_ends_at`; `active`: paid; `past_due`: an order is overdue; `paused`: not renewed until it is resumed; `canceled`: has ended',
});

export const Subscription = z
  .object({
    id: RecordId,
    client_id: Uuid.describe('The client that subscribes'),
    plan_id: Uuid.describe('The plan that it pays for now'),
    status: SubscriptionStatus,
    amount: z.number().describe('What a period costs, as it was when the period began; in major units of `currency`'),
    currency: z.string().describe('ISO 4217'),
    interval: Interval,
    provider: PaymentProvider,
    period_start: Timestamp.describe('When the present period began, ISO 8601 in UTC'),
    period_end: Timestamp.describe('When the present period ends, ISO 8601 in UTC: it is renewed then, or ends'),
    trial_ends_at: Timestamp.nullable().describe('Until when it is free, ISO 8601 in UTC; null without a trial'),
    cancel_at_period_end: z.boolean().describe('True: it ends at `period_end` and is not renewed'),
    next_plan_id: Uuid.nullable().describe('The plan that it changes to when it is renewed'),
    past_due_since: Timestamp.nullable().describe('Since when an order is overdue, ISO 8601 in UTC; null if none is'),
    paused_at: Timestamp.nullable().describe('Since when it is paused, ISO 8601 in UTC; null if it is not'),
    canceled_at: Timestamp.nullable().describe('When it ended, ISO 8601 in UTC; null while it goes on'),
    created_at: CreatedAt,
  })
  .meta({ id: 'Subscription', description: "A client's contract for a priced plan" });
export type Subscription = z.infer<typeof Subscription>;

const invoiceText = (max: number) => optionalText(max).nullable();

export const BillingDetails = z
  .object({
    name: invoiceText(200).describe("Whom its invoices name; null: the client's company or name"),
    address: invoiceText(1000).describe('As it is printed, with line breaks, at most 1,000 characters; null: none'),
    tax_id: invoiceText(100).describe('As it is printed, such as a VAT number, at most 100 characters; null: none'),
  })
  .meta({ id: 'BillingDetails', description: "What a client's invoices say of it" });
export type BillingDetails = z.infer<typeof BillingDetails>;

const CancellationTime = oneOf(['now', 'period_end']).meta({ id: 'CancellationTime', description: 'When a subscription ends' });
const PlanChangeTime = oneOf(['now', 'renewal']).meta({ id: 'PlanChangeTime', description: 'When a subscription changes its plan' });

const tag = 'Subscriptions';
const roles = ['owner', 'admin'] as const;
const output = z.object({ subscription: Subscription });
const write = { method: 'POST', tag, permission: 'write', roles, output, success: 200, etag: false } as const;

export const listSubscriptions = defineOperation({
  method: 'GET',
  path: '/subscriptions',
  tag,
  summary: 'List subscriptions, newest first',
  description: 'Also those that have ended: a client may have several of them, and at most one that goes on.',
  permission: 'read',
  roles,
  rpc: 'billing.ListSubscriptions',
  input: z.object(OptionalPage),
  output: z.object({
    subscriptions: z.array(Subscription).describe('The subscriptions, newest first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: [],
});

export const getSubscription = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/subscription',
  tag,
  summary: "Read a client's subscription, the last one if it has ended",
  description: '404 `subscription_not_found` if the client never had one.',
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
  input: z.strictObject({ plan_id: Uuid.describe('A plan of yours that costs something, from GET /plans') }),
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
  input: z.strictObject({
    at: CancellationTime.default('period_end').describe('When it ends: `period_end` (the default), or `now`'),
  }),
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
  description: 'A paused one goes on with the time that was left of its period; one that would end with its period is renewed after all.',
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
  input: z.strictObject({
    plan_id: Uuid.describe('Another plan of yours that costs something'),
    at: PlanChangeTime.default('now').describe('When the plan changes: `now` (the default), or at the next `renewal`'),
  }),
  errors: ['client_not_found', 'subscription_not_found', 'plan_unknown', 'plan_not_priced'],
});

export const getBillingDetails = defineOperation({
  method: 'GET',
  path: '/clients/{clientId}/billing-details',
  tag,
  summary: "Read what a client's invoices say of it",
  description: 'Null fields are filled in from the client where an invoice needs them.',
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
  description: 'Invoices that were made stay as they are.',
  permission: 'write',
  roles,
  rpc: 'billing.UpdateBillingDetails',
  input: z.strictObject(BillingDetails.shape).partial(),
  output: z.object({ billing_details: BillingDetails }),
  success: 200,
  etag: false,
  errors: ['client_not_found'],
});
