import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { language } from '../texts/language.ts';
import { api, readJson, type Schemas } from './client.ts';
import { usePermission } from './permissions.ts';
import { Problem } from './problem.ts';
import { useSession } from './session.ts';

export type Order = Schemas['Order'];
export type Subscription = Schemas['Subscription'];
export type PaymentSettings = Schemas['PaymentSettings'];
export type OwnBilling = Schemas['OwnBilling'];

export interface OrderFilter {
  readonly client_id?: string;
  readonly status?: string;
  readonly overdue?: 'true';
  readonly limit?: number;
  readonly offset?: number;
}

/** Query options of what clients owe and pay, in the area `clients`: a change of a client's plan changes them, too. */
export const ordersQuery = (query: OrderFilter) =>
  queryOptions({
    queryKey: ['clients', 'orders', query],
    placeholderData: keepPreviousData,
    queryFn: () => readJson(api.GET('/orders', { params: { query } })),
  });

export const revenueQuery = () =>
  queryOptions({
    queryKey: ['clients', 'revenue'],
    queryFn: () => readJson(api.GET('/account/revenue')).then(({ revenue }) => revenue),
  });

const ofClient = (clientId: string) => ({ params: { path: { clientId } } });

/** The subscription of a client, the last one if it has ended; null if there was none. */
export const subscriptionQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['clients', clientId, 'subscription'],
    queryFn: async (): Promise<Subscription | null> => {
      try {
        return (await readJson(api.GET('/clients/{clientId}/subscription', ofClient(clientId)))).subscription;
      } catch (error) {
        if (Problem.of(error).code === 'subscription_not_found') return null;
        throw error;
      }
    },
  });

export const billingDetailsQuery = (clientId: string) =>
  queryOptions({
    queryKey: ['clients', clientId, 'billing-details'],
    queryFn: () =>
      readJson(api.GET('/clients/{clientId}/billing-details', ofClient(clientId))).then(({ billing_details }) => billing_details),
  });

const pageSize = 100;

/** Subscriptions whose payment is overdue. Reads pages until `count` are found. */
export const pastDueQuery = (count: number) =>
  queryOptions({
    queryKey: ['clients', 'past-due', count],
    queryFn: async () => {
      const found: Subscription[] = [];
      for (let offset = 0; ; offset += pageSize) {
        const { subscriptions, total } = await readJson(api.GET('/subscriptions', { params: { query: { limit: pageSize, offset } } }));
        found.push(...subscriptions.filter(({ status }) => status === 'past_due'));
        if (found.length >= count || offset + pageSize >= total) return found;
      }
    },
  });

export const paymentSettingsQuery = () =>
  queryOptions({
    queryKey: ['payment-settings'],
    queryFn: () => readJson(api.GET('/account/payments')).then(({ payment_settings }) => payment_settings),
  });

/** The currency of plans. Roles without access to the payment settings get the organization's. */
export function useCurrency(): string {
  const { organization } = useSession();
  const { data } = useQuery({ ...paymentSettingsQuery(), enabled: usePermission('managePayments') });
  return data?.currency ?? organization?.currency ?? 'USD';
}

/** What a signed-in client owes and paid. */
export const ownBillingQuery = () =>
  queryOptions({
    queryKey: ['billing'],
    queryFn: () => readJson(api.GET('/account/billing')).then(({ billing }) => billing),
  });

/**
 * Formatters of days as invoices have them, in the time zone of the payment settings, which clients read with their own
 * billing.
 */
export function useDays() {
  const settings = useQuery({ ...paymentSettingsQuery(), enabled: usePermission('managePayments') });
  const own = useQuery({ ...ownBillingQuery(), enabled: usePermission('seeOwnBilling') });
  const timeZone = settings.data?.time_zone ?? own.data?.time_zone ?? 'UTC';
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone });
  return {
    /** "Mar 3, 2027". */
    dayText: (at: string | null) => (at === null ? '' : format.format(new Date(at))),
    /** "Mar 3 – Apr 3, 2027". */
    periodText: ({ period_start, period_end }: Order) => format.formatRange(new Date(period_start), new Date(period_end)),
  };
}
