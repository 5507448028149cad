import * as z from 'zod';
import { filter, idFilter, OptionalPage, oneOf, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation, nextByCursor, type PagedCsv } from '../http/operation.ts';

export const orderStatuses = ['pending', 'paid', 'failed', 'refunded', 'canceled'] as const;
export const providers = ['manual', 'stripe'] as const;

export const Order = z
  .object({
    id: Uuid,
    client_id: Uuid,
    plan_id: Uuid,
    amount: z.number().describe('In major units of `currency`, with its tax'),
    currency: z.string().describe('ISO 4217'),
    status: oneOf(orderStatuses).describe('`failed` and `pending` ones can still be paid'),
    provider: oneOf(providers).describe('`manual`: a member records what was paid; `stripe`: it is paid by card'),
    provider_ref: z.string().nullable().describe('What the payment is called at the provider'),
    invoice_url: z.string().nullable().describe('A page with the invoice, for whoever has the link'),
    period_start: Timestamp,
    period_end: Timestamp,
    paid_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Order', description: 'A charge of a client for a period of its plan' });
export type Order = z.infer<typeof Order>;

const periodColumns = ['period_start', 'period_end', 'paid_at', 'created_at'];
const columns = ['id', 'client_id', 'plan_id', 'amount', 'currency', 'status', 'provider', ...periodColumns];

interface Listed {
  readonly orders: readonly Readonly<Record<string, string | number | null>>[];
  readonly next_cursor: string;
}

/** A row per order. */
const orderCsv = {
  filename: 'orders.csv',
  columns,
  extraColumns: () => [],
  rows: ({ orders }: Listed) => orders.map((order) => columns.map((name) => order[name] ?? null)),
  next: nextByCursor<Listed>(({ orders }) => orders.length),
} satisfies PagedCsv;

const tag = 'Orders';
/** Figures of money are for those who run the business. */
const roles = ['owner', 'admin'] as const;

export const listOrders = defineOperation({
  method: 'GET',
  path: '/orders',
  tag,
  summary: 'List orders, newest first',
  description: 'As `text/csv` the answer has all of them, where neither `limit` nor `offset` is named.',
  permission: 'read',
  roles,
  rpc: 'billing.ListOrders',
  input: z.object({
    ...OptionalPage,
    client_id: idFilter().describe('Only of this client'),
    status: filter(...orderStatuses).describe('Only those with this status; an unknown one has none'),
    overdue: filter('true', 'false').describe('`true`: only those that are open after the day they were due; other text is ignored'),
  }),
  output: z.object({ orders: z.array(Order), total: Total }),
  csv: orderCsv,
  success: 200,
  errors: [],
});

export const getOrder = defineOperation({
  method: 'GET',
  path: '/orders/{orderId}',
  tag,
  summary: 'Read one order',
  permission: 'read',
  roles,
  rpc: 'billing.GetOrder',
  output: z.object({ order: Order }),
  success: 200,
  errors: ['order_not_found'],
});

export const updateOrder = defineOperation({
  method: 'PATCH',
  path: '/orders/{orderId}',
  tag,
  summary: 'Record what happened to a payment, or give it back',
  description:
    'A pending order becomes paid, failed or canceled; a failed one paid or canceled; a paid one refunded, which gives back what was paid by card. The first time that it is paid raises `payment.received`. The same status again changes nothing.',
  permission: 'write',
  roles,
  rpc: 'billing.UpdateOrder',
  input: z.strictObject({ status: oneOf(['paid', 'failed', 'refunded', 'canceled']) }),
  output: z.object({ order: Order }),
  success: 200,
  errors: ['order_not_found', 'order_status_refused', 'refund_refused', 'stripe_unavailable'],
});
