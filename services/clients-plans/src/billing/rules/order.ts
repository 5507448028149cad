import { AppError, createProjection, Order, withDates } from '@webkiln/contract';
import { toMajor } from './money.ts';

export type OrderStatus = Order['status'];

/** What an invoice says besides its sums, as it was when the order was opened. Without names once it is reduced. */
export interface InvoiceTexts {
  /** Without a name the organization's own. */
  readonly issuer: { readonly name: string | null; readonly address: string | null; readonly tax_id: string | null };
  readonly customer: {
    readonly name: string | null;
    readonly email: string | null;
    readonly address: string | null;
    readonly tax_id: string | null;
  };
  readonly item: string | null;
  readonly tax_name: string | null;
  readonly tax_rate: number | null;
  readonly prefix: string;
  readonly note: string | null;
  readonly bank_details: string | null;
}

/** A page of a payment company on which a client pays an order. `ref` is its name there. */
export interface Checkout {
  readonly ref: string;
  readonly url: string;
  readonly expires_at: Date;
}

/** A stored order. Sums are in minor units. */
export interface OrderState {
  readonly _id: string;
  readonly subscription_id: string;
  readonly client_id: string;
  readonly plan_id: string;
  /** `period`: a whole period; `upgrade`: what the rest of one costs more. */
  readonly kind: 'period' | 'upgrade';
  /** The invoice's; without gaps within the organization. */
  readonly number: number;
  readonly amount: number;
  readonly tax: number;
  readonly currency: string;
  status: OrderStatus;
  provider: Order['provider'];
  /** What its payment is called at the provider. */
  provider_ref: string | null;
  /** How often a card was charged in vain without its owner. */
  attempts: number;
  /** When its client's card is charged next; null: the client is waited for. */
  charge_at: Date | null;
  /** True from the first time that a process begins this attempt: then there may be a payment of it. */
  is_charging: boolean;
  /** The page that was opened for its payment. */
  checkout: Checkout | null;
  /** The secret of its invoice's link. */
  readonly link: string;
  readonly invoice: InvoiceTexts;
  readonly period_start: Date;
  readonly period_end: Date;
  due_at: Date;
  paid_at: Date | null;
  refunded_at: Date | null;
  readonly created_at: Date;
}

const project = createProjection(withDates(Order));

/** The address of an order's invoice: whoever has it may read it. */
export const invoiceUrl = (origin: string, org_id: string, { _id, link }: Pick<OrderState, '_id' | 'link'>): string =>
  `${origin}/invoice/${org_id}.${_id}.${link}`;

/** The public record. `origin` is where the platform is. */
export const toOrder = (origin: string, org_id: string, order: OrderState): Order => ({
  ...project({ ...order, amount: toMajor(order.amount, order.currency), invoice_url: invoiceUrl(origin, org_id, order) }),
});

const followers: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending: ['paid', 'failed', 'canceled'],
  failed: ['paid', 'canceled'],
  paid: ['refunded'],
  refunded: [],
  canceled: [],
};

export const isOpen = ({ status }: Pick<OrderState, 'status'>): boolean => status === 'pending' || status === 'failed';

/** Throws `order_status_refused` if an order with its present status cannot get this one. */
export function assertMayBecome({ status }: OrderState, wanted: OrderStatus): void {
  if (!followers[status].includes(wanted)) throw new AppError('order_status_refused');
}
