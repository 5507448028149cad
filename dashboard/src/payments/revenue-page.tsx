import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Schemas } from '../api/client.ts';
import { pastDueQuery, revenueQuery, useDays } from '../api/payments.ts';
import { clientsQuery } from '../api/records.ts';
import { clientName } from '../clients/client-status.tsx';
import { LazyDayChart } from '../components/charts/lazy-day-chart.tsx';
import { Stat } from '../components/charts/stat.tsx';
import { formatMoney } from '../components/content/money.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { RecordTable } from '../components/tables/record-table.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const t = texts.revenue;
type Revenue = Schemas['Revenue'];
const shortMonth = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' });
const longMonth = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

export function RevenuePage() {
  const query = useQuery(revenueQuery());
  return (
    <Page
      title={texts.pages.revenue}
      text={t.text}
      actions={
        <Link className="button" to="/orders">
          {t.toOrders}
        </Link>
      }
    >
      <QueryBoundary
        query={query}
        empty={{
          when: ({ months, past_due }) => past_due === 0 && !months.some(hasActivity),
          show: (
            <Card>
              <EmptyState title={t.empty} text={t.emptyText} />
            </Card>
          ),
        }}
      >
        {(revenue) => <Figures revenue={revenue} />}
      </QueryBoundary>
    </Page>
  );
}

function Figures({ revenue }: { revenue: Revenue }) {
  const { currency, months } = revenue;
  const money = (amount: number) => formatMoney(amount, currency);
  const thisMonth = months.at(-1);
  return (
    <>
      <dl className="card stats">
        <Stat label={t.mrr} value={money(revenue.mrr)} />
        <Stat label={t.subscriptions} value={revenue.subscriptions} />
        <Stat label={t.overdue} value={money(revenue.past_due)} note={t.overdueClients({ count: revenue.past_due_clients })} />
        <Stat label={t.churn} value={share.format(thisMonth?.churn ?? 0)} note={t.churnOf({ count: thisMonth?.canceled ?? 0 })} />
      </dl>
      {revenue.past_due_clients === 0 ? null : <PastDue count={revenue.past_due_clients} />}
      <Card title={t.chartTitle}>
        <LazyDayChart
          days={months.map(({ month, paid, refunded }) => ({ date: month, count: paid, other: refunded }))}
          caption={t.chart({ currency })}
          formatDay={(month) => shortMonth.format(new Date(month))}
          formatCount={({ count }) => money(count)}
          names={[t.paid, t.refunded]}
          empty={{ title: t.empty, text: t.emptyText }}
        />
      </Card>
      {revenue.plans.length === 0 ? null : (
        <Card title={t.plans}>
          <RecordTable
            label={t.plans}
            records={revenue.plans.map((plan) => ({ ...plan, id: plan.plan_id }))}
            columns={[
              { name: t.plan, cell: ({ name }) => <strong>{name}</strong> },
              { name: t.count, cell: ({ subscriptions }) => <span className="number">{subscriptions}</span>, end: true },
              { name: t.share, cell: ({ mrr }) => <span className="number">{money(mrr)}</span>, end: true },
            ]}
          />
        </Card>
      )}
      <Card title={t.months}>
        <RecordTable
          label={t.months}
          records={sinceFirst(months).map((month) => ({ ...month, id: month.month }))}
          columns={[
            { name: t.month, cell: ({ month }) => longMonth.format(new Date(month)) },
            { name: t.paid, cell: ({ paid }) => <span className="number">{money(paid)}</span>, end: true },
            { name: t.refunded, cell: ({ refunded }) => <span className="number">{money(refunded)}</span>, end: true, wide: true },
            { name: t.new, cell: ({ opened }) => <span className="number">{opened}</span>, end: true, wide: true },
            { name: t.ended, cell: ({ canceled }) => <span className="number">{canceled}</span>, end: true, wide: true },
            { name: t.churned, cell: ({ churn }) => <span className="number">{share.format(churn)}</span>, end: true },
          ]}
        />
      </Card>
    </>
  );
}

const hasActivity = ({ paid, refunded, opened, canceled }: Revenue['months'][number]): boolean => paid + refunded + opened + canceled > 0;

/** The months from the first in which something happened, the present one first. */
const sinceFirst = (months: Revenue['months']) => months.slice(months.findIndex(hasActivity)).toReversed();

function PastDue({ count }: { count: number }) {
  const query = useQuery(pastDueQuery(count));
  const { data: clients = [] } = useQuery(clientsQuery());
  const { dayText } = useDays();
  const nameOf = (id: string) => {
    const client = clients.find((each) => each.id === id);
    return client === undefined ? texts.orders.unknownClient : clientName(client);
  };
  return (
    <RecordList
      label={t.pastDue}
      titled
      query={query}
      records={(subscriptions) => subscriptions}
      columns={[
        {
          name: texts.orders.client,
          cell: ({ client_id }) => (
            <Link className="row-link" to={`/clients/${client_id}`}>
              {nameOf(client_id)}
            </Link>
          ),
        },
        { name: t.since, cell: ({ past_due_since }) => dayText(past_due_since) },
        {
          name: t.showOrders,
          unnamed: true,
          end: true,
          cell: ({ client_id }) => (
            <Link className="link above" to={`/orders?${new URLSearchParams({ client: client_id })}`}>
              {t.showOrders}
            </Link>
          ),
        },
      ]}
    />
  );
}
