import { ids, platform, times } from './story.ts';

const Client = {
  id: ids.client,
  email: 'anna@krume.example',
  name: 'Anna Krume',
  company: 'Bäckerei Krume',
  status: 'active',
  plan_id: ids.plan,
  payment_status: 'active',
  created_at: times.invited,
};
const PlanUse = { limit: 'max_sites', allowed: 3, used: 1, is_exceeded: false, message: null };

const Plan = {
  id: ids.plan,
  name: 'Care',
  description: 'One website, updates within a day, and a monthly report',
  price: 29.5,
  interval: 'monthly',
  max_sites: 3,
  max_ai_messages_daily: 50,
  can_export_code: false,
  can_use_custom_domain: true,
  is_active: true,
  created_at: times.founded,
};

const Order = {
  id: ids.order,
  client_id: ids.client,
  plan_id: ids.plan,
  amount: 29.5,
  currency: 'EUR',
  status: 'paid',
  provider: 'manual',
  provider_ref: null,
  invoice_url: `${platform}/invoices/inv_9f2c`,
  period_start: times.began,
  period_end: times.later,
  paid_at: times.published,
  created_at: times.began,
};
const Subscription = {
  id: ids.subscription,
  client_id: ids.client,
  plan_id: ids.plan,
  status: 'active',
  amount: 29.5,
  currency: 'EUR',
  interval: 'monthly',
  provider: 'manual',
  period_start: times.began,
  period_end: times.later,
  trial_ends_at: null,
  cancel_at_period_end: false,
  next_plan_id: null,
  past_due_since: null,
  paused_at: null,
  canceled_at: null,
  created_at: times.began,
};
const BillingDetails = { name: 'Bäckerei Krume GmbH', address: 'Marktstraße 3\n20357 Hamburg', tax_id: 'DE123456789' };

const PaymentSettings = {
  currency: 'EUR',
  time_zone: 'Europe/Berlin',
  trial_days: 14,
  payment_days: 14,
  retry_days: [3, 7, 14],
  grace_days: 30,
  clients_may_cancel: true,
  issuer_name: 'Northlight GmbH',
  issuer_address: 'Hafenweg 8\n20457 Hamburg',
  issuer_tax_id: 'DE987654321',
  tax_name: 'VAT',
  tax_rate: 19,
  tax_included: false,
  invoice_prefix: 'NL-',
  invoice_note: 'Thank you for your trust.',
  bank_details: 'IBAN DE02 1203 0000 0000 2020 51',
  mails_clients: true,
  card_payments: 'ready',
};
const ProviderPage = { url: 'https://connect.stripe.com/setup/s/example' };
const OwnBilling = {
  plan_name: 'Care',
  subscription: Subscription,
  may_cancel: true,
  time_zone: 'Europe/Berlin',
  tax_name: 'VAT',
  tax_rate: 19,
  tax_included: false,
  card: { brand: 'visa', last4: '4242', exp_month: 11, exp_year: 2028 },
  orders: [Order],
};
const Revenue = {
  currency: 'EUR',
  mrr: 295,
  subscriptions: 10,
  past_due: 29.5,
  past_due_clients: 1,
  months: [{ month: '2026-03', paid: 265.5, refunded: 0, opened: 2, canceled: 0, churn: 0 }],
  plans: [{ plan_id: ids.plan, name: 'Care', mrr: 295, subscriptions: 10 }],
};

const Webhook = {
  id: ids.webhook,
  url: 'https://hooks.northlight.example/webkiln',
  events: ['client.updated', 'form.submitted'],
  is_active: true,
  created_at: times.founded,
};
const WebhookWithSecret = { ...Webhook, secret: 'whsec_QmFja2VyZWkgS3J1bWUgaXN0IG9mZmVuLg==' };
const WebhookSecret = { id: ids.webhook, url: Webhook.url, shown_to: ids.member };
const Delivery = {
  id: ids.delivery,
  webhook_id: ids.webhook,
  event_id: ids.event,
  event: 'form.submitted',
  status: 'delivered',
  attempts: [{ at: times.visited, status_code: 200, latency_ms: 84, response: 'ok', reason: null }],
  next_attempt_at: null,
  created_at: times.visited,
  delivered_at: times.visited,
};
const DeliveryWithRequest = {
  ...Delivery,
  request: {
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'webhook-id', value: ids.event },
    ],
    body: `{"id":"${ids.event}","type":"form.submitted"}`,
  },
};

export const businessRecords = {
  ...{ Client, PlanUse, Plan, Order, Subscription, BillingDetails, PaymentSettings, ProviderPage, OwnBilling, Revenue },
  ...{ Webhook, WebhookWithSecret, WebhookSecret, Delivery, DeliveryWithRequest },
};
