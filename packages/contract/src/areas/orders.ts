import * as z from 'zod';
import { CreatedAt, filter, idFilter, OptionalPage, oneOf, RecordId, Timestamp, Total, Uuid } from '../fields/fields.ts';
import { defineOperation, nextByCursor, type PagedCsv } from '../http/operation.ts';

export const orderStatuses = ['pending', 'paid', 'failed', 'refunded', 'canceled'] as const;
export const providers = ['manual', 'stripe'] as const;

const OrderStatus = oneOf(orderStatuses).meta({
  id: 'OrderStatus',
  description:
    '`pending`: open, or being paid; `failed`: a card was refused; both can still be paid. `paid`; `refunded`: was paid and given back; `canceled`: is not to be paid any more',
});
export const PaymentProvider = oneOf(providers).meta({
  id: 'PaymentProvider',
  description: '`manual`: a member records what was paid; `stripe`: it is paid by card',
});

export const Order = z
  .object({
    id: RecordId,
    client_id: Uuid.describe('The client that is charged'),
    plan_id: Uuid.describe('The plan that it is charged for'),
    amount: z.number().describe('What is to be paid, in major units of `currency` (29.5 is 29.50), with its tax'),
    currency: z.string().describe('ISO 4217, such as EUR: the currency of the organization when it was made'),
    status: OrderStatus,
    provider: PaymentProvider,
    provider_ref: z
      .string()
      .nullable()
      .describe('What the payment is called at the provider; null while there is none, and for manual ones'),
    invoice_url: z.string().nullable().describe('A page with the invoice, for whoever has the link'),
    period_start: Timestamp.describe('When the period begins that it pays for, ISO 8601 in UTC'),
    period_end: Timestamp.describe('When that period ends, ISO 8601 in UTC: the next one begins then'),
    paid_at: Timestamp.nullable().describe('When it was paid, ISO 8601 in UTC; null while it is not'),
    created_at: CreatedAt,
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

const RecordedStatus = oneOf(['paid', 'failed', 'refunded', 'canceled']).meta({
  id: 'RecordedStatus',
  description: 'What happened to the payment of an order',
});

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
  output: z.object({ orders: z.array(Order).describe('The orders, newest first; empty if there are none'), total: Total }),
  csv: orderCsv,
  success: 200,
  errors: [],
});

export const getOrder = defineOperation({
  method: 'GET',
  path: '/orders/{orderId}',
  tag,
  summary: 'Read one order',
  description: 'For owners and admins, and keys that they made: figures of money are for those who run the business.',
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
  input: z.strictObject({
    status: RecordedStatus.describe(
      'What happened. A change that the present status does not allow is refused with 409 `order_status_refused`',
    ),
  }),
  output: z.object({ order: Order }),
  success: 200,
  errors: ['order_not_found', 'order_status_refused', 'refund_refused', 'stripe_unavailable'],
});
