import type Stripe from 'stripe';
import { z } from 'zod';
import { newAccount, newCustomer, newPortalConfiguration, newPortalSession } from '../accounts.ts';
import { invalidRequest, resourceMissing } from '../errors.ts';
import { attach, methodOf } from '../payments/payments.ts';
import { idOf, newId, type Owner, type State } from '../state.ts';
import { oneOf, type Route, route } from './route.ts';
import { boolean, currency, metadata, page, paging, range, text, unsettable, url } from './wire.ts';

const address = z
  .strictObject({ city: text, country: text, line1: text, line2: text, postal_code: text, state: text })
  .partial()
  .transform(({ city, country, line1, line2, postal_code, state }) => ({
    ...{ city: city ?? null, country: country ?? null, line1: line1 ?? null },
    ...{ line2: line2 ?? null, postal_code: postal_code ?? null, state: state ?? null },
  }));
const invoiceSettings = z.strictObject({ default_payment_method: unsettable.optional() });
const customerFields = {
  address: address.optional(),
  description: unsettable.optional(),
  email: unsettable.optional(),
  invoice_settings: invoiceSettings.optional(),
  metadata: metadata.optional(),
  name: unsettable.optional(),
  phone: unsettable.optional(),
  preferred_locales: z.array(text).optional(),
};
const enabled = z.strictObject({ enabled: boolean });

/** The operations on accounts, customers and what belongs to them, and on events. */
export const accountRoutes: readonly Route[] = [
  route(
    'POST',
    '/v1/accounts',
    {
      business_profile: z.strictObject({ name: text, url, support_email: text }).partial().optional(),
      capabilities: z
        .strictObject({ card_payments: z.strictObject({ requested: boolean }), transfers: z.strictObject({ requested: boolean }) })
        .partial()
        .optional(),
      controller: z
        .strictObject({
          fees: z.strictObject({ payer: oneOf('account', 'application') }).optional(),
          losses: z.strictObject({ payments: oneOf('stripe', 'application') }).optional(),
          requirement_collection: oneOf('stripe', 'application').optional(),
          stripe_dashboard: z.strictObject({ type: oneOf('full', 'express', 'none') }).optional(),
        })
        .optional(),
      country: text.optional(),
      default_currency: currency.optional(),
      email: text.optional(),
      metadata: metadata.optional(),
      type: oneOf('standard', 'express', 'custom').optional(),
    },
    ({ state, params: { country, default_currency, email, metadata: kept = {}, type = 'standard' } }) => {
      const account = newAccount(state, {
        country: country ?? 'US',
        default_currency: default_currency ?? 'usd',
        email: email ?? null,
        metadata: kept,
        type,
      });
      state.accounts.set(account.id, account);
      return account;
    },
  ),
  route('GET', '/v1/accounts/{account}', {}, ({ state }, id) => state.account(id)),
  route(
    'POST',
    '/v1/account_links',
    {
      account: text,
      type: oneOf('account_onboarding'),
      refresh_url: url,
      return_url: url,
      collection_options: z.strictObject({ fields: oneOf('currently_due', 'eventually_due') }).optional(),
    },
    ({ state, params }) => {
      if (!state.accounts.has(params.account)) throw resourceMissing('account', params.account, 'account', false);
      const token = newId('', 32);
      const expiresAt = state.now() + 300;
      state.onboardingLinks.set(token, {
        account: params.account,
        expiresAt,
        refreshUrl: params.refresh_url,
        returnUrl: params.return_url,
        isUsed: false,
      });
      return { object: 'account_link', created: state.now(), expires_at: expiresAt, url: `${state.url}/onboarding/${token}` };
    },
  ),

  route('POST', '/v1/customers', { ...customerFields, payment_method: text.optional() }, ({ state, owner, params }) => {
    const { payment_method, expand: _expand, invoice_settings: settings, ...fields } = params;
    const method = payment_method === undefined ? undefined : state.ofParam(owner, 'payment_method', payment_method, 'payment_method');
    const customer = state.add(owner, newCustomer(state, definedOf({ ...fields, metadata: withoutEmpty(fields.metadata) })));
    if (method !== undefined) attach(state, owner, method, customer.id);
    setDefault(state, owner, customer, settings);
    return customer;
  }),
  route('GET', '/v1/customers/{customer}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'customer', id)),
  route('POST', '/v1/customers/{customer}', customerFields, ({ state, owner, params }, id) => {
    const { metadata: changed, invoice_settings: settings, expand: _expand, ...fields } = params;
    const customer = state.ofUrl(owner, 'customer', id);
    const before = structuredClone(customer);
    setDefault(state, owner, customer, settings);
    Object.assign(customer, definedOf(fields), { metadata: withoutEmpty({ ...customer.metadata, ...changed }) });
    state.record(owner, 'customer.updated', customer, before);
    return customer;
  }),
  route('GET', '/v1/payment_methods/{payment_method}', {}, ({ state, owner }, id) =>
    state.ofUrl(owner, 'payment_method', id, 'payment_method'),
  ),
  route(
    'GET',
    '/v1/payment_methods',
    { ...paging, customer: text.optional(), type: oneOf('card').optional() },
    ({ state, owner, params }) => page('/v1/payment_methods', attached(state, owner, params.customer), params),
  ),
  route(
    'GET',
    '/v1/customers/{customer}/payment_methods',
    { ...paging, type: oneOf('card').optional() },
    ({ state, owner, params }, id) => {
      state.ofUrl(owner, 'customer', id, 'customer');
      return page(`/v1/customers/${id}/payment_methods`, attached(state, owner, id), params);
    },
  ),

  route(
    'POST',
    '/v1/billing_portal/configurations',
    {
      business_profile: z.strictObject({ headline: text.optional() }).optional(),
      default_return_url: url.optional(),
      features: z.strictObject({
        customer_update: z
          .strictObject({ enabled: boolean, allowed_updates: z.array(oneOf('address', 'email', 'name', 'phone', 'tax_id')).optional() })
          .optional(),
        invoice_history: enabled.optional(),
        payment_method_update: enabled.optional(),
      }),
      metadata: metadata.optional(),
    },
    ({ state, owner, params }) => state.add(owner, newPortalConfiguration(state, params)),
  ),
  route('GET', '/v1/billing_portal/configurations', { ...paging, active: boolean.optional() }, ({ state, owner, params }) => {
    const { active } = params;
    const wanted = state.all('billing_portal.configuration', owner).filter((found) => active === undefined || found.active === active);
    return page('/v1/billing_portal/configurations', wanted, params);
  }),
  route(
    'POST',
    '/v1/billing_portal/sessions',
    {
      configuration: text.optional(),
      customer: text,
      flow_data: z.strictObject({ type: oneOf('payment_method_update') }).optional(),
      locale: text.optional(),
      return_url: url.optional(),
    },
    ({ state, owner, params: { configuration, customer, return_url } }) => {
      state.ofParam(owner, 'customer', customer, 'customer');
      if (configuration === undefined) {
        throw invalidRequest(
          'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
        );
      }
      const found = state.ofParam(owner, 'billing_portal.configuration', configuration, 'configuration');
      return state.add(owner, newPortalSession(state, found, customer, return_url ?? found.default_return_url));
    },
  ),

  route('GET', '/v1/events/{id}', {}, ({ state, owner }, id) => state.ofUrl(owner, 'event', id)),
  route(
    'GET',
    '/v1/events',
    { ...paging, created: range, delivery_success: boolean.optional(), type: text.optional(), types: z.array(text).optional() },
    ({ state, owner, params: { type, types, delivery_success: isDelivered, ...params } }) => {
      const monthAgo = state.now() - 30 * 86_400;
      const wanted = types ?? (type === undefined ? undefined : [type]);
      const found = state
        .all('event', owner)
        .filter(
          (event) =>
            event.created >= monthAgo &&
            (wanted?.includes(event.type) ?? true) &&
            (isDelivered === undefined || isDelivered === (event.pending_webhooks === 0)),
        );
      return page('/v1/events', found, params);
    },
  ),
];

const withoutEmpty = (fields: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
const definedOf = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };

function setDefault(state: State, owner: Owner, customer: Stripe.Customer, settings: z.infer<typeof invoiceSettings> | undefined): void {
  const id = settings?.default_payment_method;
  if (id === undefined) return;
  if (id !== null) methodOf(state, owner, id, customer.id, 'invoice_settings[default_payment_method]');
  customer.invoice_settings.default_payment_method = id;
}

/** The cards of a customer; none are listed without one, as those that no customer has are not kept. */
function attached(state: State, owner: Owner, customer: string | undefined): Stripe.PaymentMethod[] {
  if (customer !== undefined) state.ofParam(owner, 'customer', customer, 'customer');
  return state
    .all('payment_method', owner)
    .filter((method) => idOf(method.customer) !== null && (customer === undefined || idOf(method.customer) === customer));
}
