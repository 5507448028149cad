import * as z from 'zod';
import { Flag, oneOf, optionalText } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { Order } from '../orders.ts';
import { Subscription } from '../subscriptions.ts';

const days = (max: number) => z.int({ error: 'must be a whole number' }).min(0, 'must be at least 0').max(max, `must be at most ${max}`);
const invoiceText = (max: number) => optionalText(max).nullable();
const currency = z.string().regex(/^[A-Z]{3}$/, 'must be a currency such as EUR');
const rate = z
  .number({ error: 'must be a number' })
  .min(0, 'must be at least 0')
  .max(100, 'must be at most 100')
  .multipleOf(0.001, 'must have at most three decimals');

/** What an organization may change. */
const changeable = {
  currency: currency.describe('ISO 4217; fixed once there is an order'),
  time_zone: z
    .string()
    .max(100, 'must have at most 100 characters')
    .describe('In which periods and months are counted, as in Europe/Berlin'),
  trial_days: days(365).describe('How long a new subscription is free'),
  payment_days: days(365).describe('How many days after its date an order is due'),
  retry_days: z
    .array(days(90), { error: 'must be a list of days' })
    .min(1, 'must have at least one day')
    .max(10, 'must have at most 10 days')
    .describe('The days after an order became overdue on which the client is reminded; on the last one the subscription ends'),
  grace_days: days(365)
    .nullable()
    .describe('How long the sites of a client stay after its subscription has ended; then the client is `suspended`. null: for good'),
  clients_may_cancel: z.boolean().describe('True: clients may end their subscription with its period, on their own page'),
  issuer_name: invoiceText(200).describe("Whom invoices come from; null: the organization's name"),
  issuer_address: invoiceText(1000).describe('As it is printed on invoices, with line breaks; null: none'),
  issuer_tax_id: invoiceText(100).describe('As it is printed, such as a VAT number; null: none'),
  tax_name: invoiceText(50).describe('As the tax is called on invoices, such as VAT; null: a general word'),
  tax_rate: rate.nullable().describe('In percent; null: invoices have no line of tax'),
  tax_included: z.boolean().describe("True: plans' prices contain the tax. False: it is added to them"),
  invoice_prefix: optionalText(20).describe('Before the number of an invoice'),
  invoice_note: invoiceText(2000).describe('Printed below the sums; null: nothing'),
  bank_details: invoiceText(1000).describe('Where to pay to, printed with the order as reference; null: nothing'),
  mails_clients: z.boolean().describe('True: clients get their invoices, receipts and reminders by mail. False until it is switched on'),
};

export const cardStates = ['unavailable', 'not_connected', 'incomplete', 'ready'] as const;

const CardPayments = oneOf(cardStates).meta({
  id: 'CardPayments',
  description:
    '`ready`: clients pay by card through Stripe; `incomplete`: Stripe wants to know more; `not_connected`: nobody has begun; `unavailable`: this platform has no Stripe, or Stripe does not take the currency',
});

export const PaymentSettings = z
  .object({
    ...changeable,
    card_payments: CardPayments,
  })
  .meta({ id: 'PaymentSettings', description: 'How an organization charges its clients' });
export type PaymentSettings = z.infer<typeof PaymentSettings>;
export type ChangeablePaymentSettings = Omit<PaymentSettings, 'card_payments'>;

const settings = {
  tag: 'Organization',
  path: '/account/payments',
  area: 'organization',
  roles: ['owner', 'admin'],
  output: z.object({ payment_settings: PaymentSettings }),
  success: 200,
  etag: false,
} as const;

export const getPaymentSettings = defineOperation({
  ...settings,
  method: 'GET',
  summary: 'How the organization charges its clients',
  description: 'For owners and admins. What changes here applies to orders that are made from then on.',
  permission: 'read',
  rpc: 'billing.GetPaymentSettings',
  errors: [],
});

export const updatePaymentSettings = defineOperation({
  ...settings,
  method: 'PATCH',
  summary: 'Change the fields that the body names, for orders from now on',
  description: 'Orders and invoices that were made stay as they are.',
  permission: 'write',
  rpc: 'billing.UpdatePaymentSettings',
  input: z
    .strictObject({
      ...changeable,
      tax_included: Flag.describe("True: plans' prices contain the tax. False: it is added to them"),
      mails_clients: Flag.describe('True: clients get their invoices, receipts and reminders by mail'),
      clients_may_cancel: Flag.describe('True: clients may end their subscription with its period, on their own page'),
    })
    .partial(),
  errors: ['currency_fixed'],
});

const page = z
  .object({ url: z.string().describe('Where to send the browser; it comes back to this platform') })
  .meta({ id: 'ProviderPage', description: 'A page of the payment provider, for one visit' });

export const connectStripe = defineOperation({
  method: 'POST',
  path: '/account/payments/stripe',
  tag: 'Account',
  credential: 'session',
  roles: ['owner', 'admin'],
  summary: 'Begin, or go on, to take card payments through Stripe',
  description: 'The first time makes a Stripe account for the organization. At the address Stripe asks what it needs to know.',
  permission: 'write',
  rpc: 'billing.ConnectStripe',
  input: z.strictObject({}),
  output: page,
  success: 200,
  etag: false,
  errors: ['stripe_unavailable'],
});

export const disconnectStripe = defineOperation({
  method: 'DELETE',
  path: '/account/payments/stripe',
  tag: 'Account',
  credential: 'session',
  roles: ['owner', 'admin'],
  summary: 'Take no more card payments',
  description: 'Open orders are then paid as their invoices say. The account at Stripe stays, and what was paid there.',
  permission: 'write',
  rpc: 'billing.DisconnectStripe',
  output: z.object({ payment_settings: PaymentSettings }),
  success: 200,
  etag: false,
  errors: [],
});

const Card = z
  .object({
    brand: z.string().describe('The network of the card, such as `visa`'),
    last4: z.string().describe('The last four digits'),
    exp_month: z.int().describe('The month in which it expires, 1 to 12'),
    exp_year: z.int().describe('The year in which it expires, four digits'),
  })
  .meta({ id: 'PaymentCard', description: 'The card that is charged for orders' });

export const OwnBilling = z
  .object({
    plan_name: z.string().nullable().describe('The plan of the client; null if it is on none'),
    subscription: Subscription.nullable().describe('The last one, if it has ended'),
    may_cancel: z.boolean().describe('True if the organization lets its clients end their subscription'),
    time_zone: PaymentSettings.shape.time_zone,
    tax_name: z.string().nullable().describe('As the tax is called on invoices'),
    tax_rate: z.number().nullable().describe('In percent; null: there is none'),
    tax_included: z.boolean().describe('True: the amount of the subscription contains the tax. False: it is added'),
    card: Card.nullable().describe('null: each order is paid by itself'),
    orders: z.array(Order).describe('The latest 100, newest first'),
  })
  .meta({ id: 'OwnBilling', description: 'What a client owes and paid' });
export type OwnBilling = z.infer<typeof OwnBilling>;

const own = { tag: 'Account', credential: 'session', roles: ['client'], success: 200, etag: false } as const;

export const getOwnBilling = defineOperation({
  ...own,
  method: 'GET',
  path: '/account/billing',
  summary: "A client's own plan, subscription and invoices",
  description: "For a signed-in user of a client, which sees its own client's alone.",
  permission: 'read',
  rpc: 'billing.GetOwnBilling',
  output: z.object({ billing: OwnBilling }),
  errors: [],
});

export const cancelOwnSubscription = defineOperation({
  ...own,
  method: 'POST',
  path: '/account/billing/cancel',
  summary: 'End the own subscription with its period, where the organization lets its clients do that',
  description: 'What was paid stays paid. How long the sites stay afterwards is for the organization to decide (`grace_days`).',
  permission: 'write',
  rpc: 'billing.CancelOwnSubscription',
  input: z.strictObject({}),
  output: z.object({ subscription: Subscription }),
  errors: ['subscription_not_found', 'cancel_not_allowed'],
});

export const changeOwnCard = defineOperation({
  ...own,
  method: 'POST',
  path: '/account/billing/card',
  summary: 'Change or remove the card that pays the own orders',
  description: 'At the address the provider asks for the card. It comes back to the page of the own invoices.',
  permission: 'write',
  rpc: 'billing.ChangeOwnCard',
  input: z.strictObject({}),
  output: page,
  errors: ['card_missing'],
});
