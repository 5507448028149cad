import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { type Order, type OwnBilling, ownBillingQuery, type Subscription, useDays } from '../api/payments.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { formatMoney } from '../components/content/money.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordTable } from '../components/tables/record-table.tsx';
import { texts } from '../texts.ts';
import { LeaveButton } from './card-payments.tsx';
import { priceText } from './price.ts';
import { orderTones, subscriptionTones } from './tones.ts';

const t = texts.billing;
const words = texts.subscription;

/** A client's own plan and invoices. */
/** A client who comes back from Stripe is often here before Stripe has told us of the card. */
const [askAgainMs, maxAsked] = [2000, 30];

export function BillingPage() {
  const [search] = useSearchParams();
  const query = useQuery({
    ...ownBillingQuery(),
    refetchInterval: ({ state }) => search.has('card') && state.dataUpdateCount < maxAsked && askAgainMs,
  });
  const { orders = [] } = query.data ?? {};
  const agency = useAgency();
  return (
    <Page title={texts.pages.billing} text={t.text({ agency })}>
      <Card title={t.plan} actions={query.data?.may_cancel ? <EndPlan billing={query.data} /> : null}>
        <QueryBoundary
          query={query}
          empty={{
            when: ({ plan_name, subscription }) => plan_name === null && subscription === null,
            show: <EmptyState title={t.none} text={t.noneText({ agency })} />,
          }}
        >
          {(billing) => <Plan billing={billing} />}
        </QueryBoundary>
      </Card>
      {orders.length === 0 ? null : (
        <Card title={t.invoices}>
          <Invoices orders={orders} />
        </Card>
      )}
    </Page>
  );
}

const useAgency = () => useSession().organization?.name ?? '';
/** "Visa". */
const brandName = (brand: string) => brand.charAt(0).toUpperCase() + brand.slice(1);
const isOpen = ({ status }: Order) => status === 'pending' || status === 'failed';

function EndPlan({ billing: { subscription, orders } }: { billing: OwnBilling }) {
  const { dayText } = useDays();
  const agency = useAgency();
  const end = useAction('billing', () => readJson(api.POST('/account/billing/cancel', { body: {} })));
  // While it is paused, its period has no end that is known, and nothing is charged.
  if (subscription === null || subscription.status === 'paused') return null;
  const text = t.endText({ day: dayText(subscription.period_end), agency });
  return (
    <ConfirmButton
      label={t.end}
      title={t.endTitle}
      text={orders.some(isOpen) ? `${text} ${t.endsUnpaid}` : text}
      action={end.mutateAsync}
      variant="compact"
    />
  );
}

const changeCard = () => readJson(api.POST('/account/billing/card', { body: {} }));

/** ", plus VAT 19 %" */
function taxText({ tax_rate, tax_name, tax_included }: OwnBilling): string {
  if (tax_rate === null || tax_rate === 0) return '';
  return `, ${(tax_included ? t.includesTax : words.plusTax)({ name: tax_name ?? words.tax, rate: tax_rate })}`;
}

function Plan({ billing }: { billing: OwnBilling }) {
  const { plan_name, subscription, orders, card } = billing;
  const agency = useAgency();
  return (
    <dl className="facts card-body">
      <dt>{words.plan}</dt>
      <dd>{plan_name ?? '–'}</dd>
      <dt>{words.price}</dt>
      <dd>
        {subscription === null
          ? t.nothingCharged
          : `${priceText(subscription.amount, subscription.currency, subscription.interval)}${taxText(billing)}`}
      </dd>
      {subscription === null ? null : (
        <>
          <dt>{words.status}</dt>
          <dd>
            <span className="badges">
              <Badge tone={subscriptionTones[subscription.status]}>{t.statuses[subscription.status]}</Badge>
              <Status subscription={subscription} orders={orders} />
            </span>
            {subscription.status === 'canceled' ? <p className="soft">{t.newPlan({ agency })}</p> : null}
          </dd>
        </>
      )}
      {card === null ? null : (
        <>
          <dt>{t.card}</dt>
          <dd>
            <p>{t.cardIs({ brand: brandName(card.brand), last4: card.last4, expires: `${card.exp_month}/${card.exp_year}` })}</p>
            <p className="soft">{t.cardText}</p>
            <LeaveButton label={t.changeCard} variant="compact" act={changeCard} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** Since when a status holds, what comes next, and what is to be paid. */
function Status({ subscription, orders }: { subscription: Subscription; orders: readonly Order[] }) {
  const { dayText } = useDays();
  const { status, cancel_at_period_end } = subscription;
  // One whose payment failed is overdue whatever its date says; else the oldest is.
  const url = (orders.findLast((order) => order.status === 'failed') ?? orders.findLast(isOpen))?.invoice_url ?? null;
  const isToPay = (status === 'incomplete' || status === 'past_due') && url !== null;
  const said = [inWords(subscription, dayText)];
  if (cancel_at_period_end && (status === 'incomplete' || status === 'past_due'))
    said.push(words.ends({ day: dayText(subscription.period_end) }));
  return (
    <>
      <span>{said.join(', ')}</span>
      {isToPay ? (
        <a className="button primary compact" href={url} target="_blank" rel="noreferrer">
          {t.openInvoice}
        </a>
      ) : null}
    </>
  );
}

function inWords(subscription: Subscription, dayText: (at: string | null) => string): string {
  const { status, period_end, trial_ends_at, cancel_at_period_end, next_plan_id } = subscription;
  const end = dayText(period_end);
  switch (status) {
    case 'incomplete':
      return t.firstPayment;
    case 'trialing':
      return cancel_at_period_end ? words.ends({ day: end }) : t.freeUntil({ day: dayText(trial_ends_at) });
    case 'active':
      if (cancel_at_period_end) return words.ends({ day: end });
      return next_plan_id === null ? words.renews({ day: end }) : t.renewsOther({ day: end });
    case 'past_due':
      return words.since({ day: dayText(subscription.past_due_since) });
    case 'paused':
      return t.paused({ day: dayText(subscription.paused_at) });
    case 'canceled':
      return words.on({ day: dayText(subscription.canceled_at) });
  }
}

function Invoices({ orders }: { orders: readonly Order[] }) {
  const { dayText, periodText } = useDays();
  const sumOf = ({ amount, currency }: Order) => formatMoney(amount, currency);
  const status = (order: Order) => <Badge tone={orderTones[order.status]}>{t.orderStatuses[order.status]}</Badge>;
  return (
    <RecordTable
      label={t.invoices}
      records={orders}
      columns={[
        { name: texts.orders.date, cell: (order) => <InvoiceLink order={order} day={dayText(order.created_at)} sum={sumOf(order)} /> },
        { name: t.period, cell: (order) => <span className="number">{periodText(order)}</span>, wide: true },
        {
          name: texts.orders.amount,
          end: true,
          cell: (order) => (
            <span className="order-sum">
              <span className="number">{sumOf(order)}</span>
              <span className="narrow-only">{status(order)}</span>
            </span>
          ),
        },
        { name: texts.orders.status, cell: status, wide: true },
        {
          name: t.pdf,
          unnamed: true,
          end: true,
          wide: true,
          cell: ({ invoice_url, ...order }) =>
            invoice_url === null ? null : (
              <a
                className="button compact quiet above"
                href={`${invoice_url}/pdf`}
                target="_blank"
                rel="noreferrer"
                aria-label={t.pdfOf({ day: dayText(order.created_at), sum: formatMoney(order.amount, order.currency) })}
              >
                {t.pdf}
              </a>
            ),
        },
      ]}
    />
  );
}

/** The date of an order, which opens its invoice wherever the row is clicked. On narrow screens its period is below. */
function InvoiceLink({ order, day, sum }: { order: Order; day: string; sum: string }) {
  const { periodText } = useDays();
  const { invoice_url } = order;
  return (
    <span className="two-lines">
      {invoice_url === null ? (
        <span>{day}</span>
      ) : (
        <a className="row-link" href={invoice_url} target="_blank" rel="noreferrer" aria-label={t.invoiceOf({ day, sum })}>
          {day} <ExternalLink size={13} aria-hidden />
        </a>
      )}
      <span className="narrow-only">{periodText(order)}</span>
    </span>
  );
}
