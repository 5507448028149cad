import type Stripe from 'stripe';
import { newId, type State } from './state.ts';

const due = ['business_profile.url', 'external_account', 'tos_acceptance.date', 'tos_acceptance.ip'];

/** A connected account whose onboarding has not begun. */
export function newAccount(state: State, params: Partial<Stripe.Account>): Stripe.Account {
  const id = newId('acct_', 16);
  return {
    id,
    object: 'account',
    business_profile: null,
    business_type: null,
    capabilities: { card_payments: 'inactive', transfers: 'inactive' },
    charges_enabled: false,
    country: 'US',
    created: state.now(),
    default_currency: 'usd',
    details_submitted: false,
    email: null,
    external_accounts: { object: 'list', data: [], has_more: false, url: `/v1/accounts/${id}/external_accounts` },
    metadata: {},
    payouts_enabled: false,
    requirements: requirements(due, 'requirements.past_due'),
    settings: null,
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: 'standard',
    ...params,
  };
}

function requirements(
  currentlyDue: string[],
  disabledReason: Stripe.Account.Requirements.DisabledReason | null,
): Stripe.Account.Requirements {
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: currentlyDue,
    disabled_reason: disabledReason,
    errors: [],
    eventually_due: currentlyDue,
    past_due: currentlyDue,
    pending_verification: [],
  };
}

export function newCustomer(state: State, params: Partial<Stripe.Customer>): Stripe.Customer {
  return {
    id: newId('cus_', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: state.now(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: newId('', 8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
    ...params,
  };
}

/** Changes what an account may do, and tells it in an event. */
export function changeAccount(state: State, account: Stripe.Account, isEnabled: boolean, due: string[] = []): void {
  const before = structuredClone(account);
  const capability = isEnabled ? 'active' : 'inactive';
  Object.assign(account, { charges_enabled: isEnabled, payouts_enabled: isEnabled, details_submitted: true });
  account.capabilities = { card_payments: capability, transfers: capability };
  account.requirements = requirements(due, isEnabled ? null : 'requirements.past_due');
  state.record(account.id, 'account.updated', account, before);
}

interface ConfigurationParams {
  business_profile?: { headline?: string | undefined } | undefined;
  default_return_url?: string | undefined;
  features: Partial<Record<'customer_update' | 'invoice_history' | 'payment_method_update', { enabled: boolean } | undefined>>;
  metadata?: Record<string, string> | undefined;
}

export function newPortalConfiguration(state: State, params: ConfigurationParams): Stripe.BillingPortal.Configuration {
  const { customer_update, invoice_history, payment_method_update } = params.features;
  const profile = { headline: params.business_profile?.headline ?? null, privacy_policy_url: null, terms_of_service_url: null };
  return {
    id: newId('bpc_'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: profile,
    created: state.now(),
    default_return_url: params.default_return_url ?? null,
    features: {
      customer_update: { allowed_updates: [], enabled: false, ...customer_update },
      invoice_history: { enabled: invoice_history?.enabled ?? false },
      payment_method_update: { enabled: payment_method_update?.enabled ?? false, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: false,
        mode: 'at_period_end',
        proration_behavior: 'none',
      },
      subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        proration_behavior: 'none',
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: 'end_trial',
      },
    },
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: params.metadata ?? {},
    name: null,
    updated: state.now(),
  };
}

export function newPortalSession(
  state: State,
  configuration: Stripe.BillingPortal.Configuration,
  customer: string,
  returnUrl: string | null,
): Stripe.BillingPortal.Session {
  const id = newId('bps_');
  return {
    id,
    object: 'billing_portal.session',
    configuration: configuration.id,
    created: state.now(),
    customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: returnUrl,
    url: `${state.url}/portal/${id}`,
  };
}
