import { randomBytes, randomUUID } from 'node:crypto';
import { changedFields } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';
import { insertChanges, saveChanges } from '@webkiln/store';
import { type BilledFields, type ClientState, changeClient, toClient } from '../clients/client.ts';
import { ClientModel, type ClientRecord } from '../clients/client-store.ts';
import { type BillingAccount, type DetailsRecord, OrderModel, SubscriptionModel } from './billing-store.ts';
import type { Billing, Run } from './change-billing.ts';
import { clock } from './clock.ts';
import { countInMonth, type Happened } from './revenue.ts';
import type { InvoiceTexts, OrderState } from './rules/order.ts';

interface Raised {
  /** About the subscription, such as its audit. */
  readonly acts?: readonly RaisedEvent[];
  /** About an order that changed. `client` is the public record after the change. */
  readonly ofOrder?: (order: OrderState, client: ReturnType<typeof toClient>) => readonly RaisedEvent[];
}

interface Changed<Client> extends Raised {
  readonly client: Client;
  readonly run: Run;
}

/**
 * Saves the subscription with its orders. Returns what changes of its client, for the caller to save in the same
 * transaction.
 */
export async function saveRun(billing: Billing, client: ClientState, run: Run, raised: Raised = {}): Promise<BilledFields> {
  await saveAll(billing, [{ client, run, ...raised }]);
  return billedFields({ client, run });
}

/** The same with the client, whose other fields stay. */
export const saveRunOf = (billing: Billing, client: ClientRecord, run: Run, raised: Raised = {}): Promise<void> =>
  saveRunsOf(billing, [{ client, run, ...raised }]);

/** The same for several subscriptions, in as many writes. */
export async function saveRunsOf(billing: Billing, all: readonly Changed<ClientRecord>[]): Promise<void> {
  await saveAll(billing, all);
  const changes = all.flatMap(({ client, run }) => {
    const { payment_status, is_unpaid, ...fields } = billedFields({ client, run });
    const change = changeClient(client, fields, { payment_status, is_unpaid });
    return change === null ? [] : [[client, change] as const];
  });
  await saveChanges(ClientModel, billing, changes);
}

function billedFields({ client, run: { cycle } }: Changed<ClientState>): BilledFields {
  const { state, paymentStatus, isGraceOver } = cycle;
  return {
    ...(paymentStatus !== undefined && { payment_status: paymentStatus }),
    ...(state.status !== 'canceled' && { plan_id: state.plan_id }),
    ...(isGraceOver && client.status === 'active' && { status: 'suspended', is_unpaid: true }),
    ...(paymentStatus === 'active' && client.is_unpaid && { status: 'active', is_unpaid: false }),
  };
}

async function saveAll(billing: Billing, all: readonly Changed<ClientState>[]): Promise<void> {
  await saveChanges(OrderModel, billing, all.flatMap(changedOrders));
  await insertChanges(
    OrderModel,
    billing,
    all.flatMap((changed) => openedOrders(billing.account, changed)),
  );
  await countInMonth(billing, billing.account.time_zone, clock.now(), all.map(happened).reduce(sumOf));
  const subscriptions = all.map((changed) => changedSubscription(billing.account, changed));
  await insertChanges(
    SubscriptionModel,
    billing,
    subscriptions.flatMap(({ _id, before, state, events }) => (before === undefined ? [new Change({ _id, ...state }, events)] : [])),
  );
  await saveChanges(
    SubscriptionModel,
    billing,
    subscriptions.flatMap(({ before, state, events }) => (before === undefined ? [] : [[before, new Change(state, events)] as const])),
  );
}

const orderFields = ['status', 'due_at', 'paid_at', 'charge_at', 'provider', 'provider_ref', 'attempts', 'is_charging'] as const;

function changedOrders({ client, run, ofOrder }: Changed<ClientState>) {
  const after = toClient({ ...client, ...billedFields({ client, run }) });
  return run.orders.flatMap((order, at) => {
    const before = run.stored?.orders[at];
    const changed = before === undefined ? null : changedFields(before, order, orderFields);
    if (before === undefined || changed === null) return [];
    return [[before, new Change(changed, ofOrder?.(order, after) ?? [])] as const];
  });
}

const linkBytes = 24;
/** Before anybody has tried to pay. */
const untried = { provider_ref: null, attempts: 0, is_charging: false, checkout: null };

/** The new orders, each with the next number of the organization's invoices. */
function openedOrders(account: BillingAccount, { client, run: { cycle, details } }: Changed<ClientState>) {
  const created_at = clock.now();
  if (cycle.opened.length > 0) cycle.state.provider = account.stripe_ready ? 'stripe' : 'manual';
  return cycle.opened.map(({ item, ...order }) => {
    account.invoices += 1;
    const identity = { _id: randomUUID(), number: account.invoices, link: randomBytes(linkBytes).toString('base64url') };
    const invoice = invoiceTexts(account, client, details, item);
    return new Change<OrderState>({ ...order, ...identity, invoice, ...untried, provider: cycle.state.provider, created_at }, []);
  });
}

function happened({ run: { cycle, orders, stored } }: Changed<ClientState>): Required<Omit<Happened, 'refunded'>> {
  const { was_paid, status } = cycle.state;
  const before = stored?.subscription;
  return {
    opened: before === undefined ? 1 : 0,
    started: was_paid && before?.was_paid !== true ? 1 : 0,
    canceled: status === 'canceled' && was_paid && before?.status !== 'canceled' ? 1 : 0,
    paid: orders.reduce(
      (sum, { status: state, amount }, at) => sum + (state === 'paid' && stored?.orders[at]?.status !== 'paid' ? amount : 0),
      0,
    ),
  };
}

const sumOf = (one: ReturnType<typeof happened>, other: ReturnType<typeof happened>) => ({
  opened: one.opened + other.opened,
  started: one.started + other.started,
  canceled: one.canceled + other.canceled,
  paid: one.paid + other.paid,
});

function changedSubscription({ mails_clients }: BillingAccount, { client, run: { cycle, stored }, acts = [] }: Changed<ClientState>) {
  const { _id, ...state } = { ...cycle.state, live_client_id: cycle.state.status === 'canceled' ? null : cycle.state.client_id };
  // Of ten thousand renewals nobody hears where clients are not mailed.
  const notices = mails_clients ? cycle.notices : [];
  const told = notices.map((notice): RaisedEvent => ({ type: 'internal.billing.notice', data: { client_id: client._id, notice } }));
  return { _id, before: stored?.subscription, state, events: [...told, ...acts] };
}

/** What the invoice will say for good, whatever changes later. */
function invoiceTexts(account: BillingAccount, client: ClientState, details: DetailsRecord | null, item: string): InvoiceTexts {
  const { issuer_name, issuer_address, issuer_tax_id, tax_name, tax_rate, invoice_prefix, invoice_note, bank_details } = account;
  const name = details?.name ?? client.company ?? client.name ?? client.email;
  return {
    issuer: { name: issuer_name, address: issuer_address, tax_id: issuer_tax_id },
    customer: { name, email: client.email, address: details?.address ?? null, tax_id: details?.tax_id ?? null },
    ...{ item, tax_name, tax_rate, prefix: invoice_prefix, note: invoice_note, bank_details },
  };
}
