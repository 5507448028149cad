import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { api, readCsv } from '../api/client.ts';
import { ordersQuery } from '../api/payments.ts';
import { clientsQuery, plansQuery } from '../api/records.ts';
import { clientName } from '../clients/client-status.tsx';
import { CsvButton } from '../components/content/csv-button.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { SearchableOptions } from '../components/forms/searchable-options.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { Pager } from '../components/tables/pager.tsx';
import { texts } from '../texts.ts';
import { OrderRecords } from './order-records.tsx';

const t = texts.orders;
const limit = 25;
const all = 'all';
/** Open after the day it was due: no status of its own. */
const overdue = 'overdue';
const statuses = [
  { id: all, label: t.allStatuses },
  { id: overdue, label: t.overdue },
  ...Object.entries(t.statuses).map(([id, label]) => ({ id, label })),
];

/** The filter and the page stand in the address: other pages link to them. */
export function OrdersPage() {
  const [search, setSearch] = useSearchParams();
  const { data: clients = [] } = useQuery(clientsQuery());
  const status = search.get('status') ?? all;
  const client = search.get('client') ?? all;
  const offset = Number(search.get('offset') ?? 0);
  const byStatus = status === all ? {} : status === overdue ? { overdue: 'true' as const } : { status };
  const filter = { ...byStatus, ...(client === all ? {} : { client_id: client }) };
  const query = useQuery(ordersQuery({ ...filter, limit, offset }));
  const csv = () => readCsv(api.GET('/orders', { params: { query: filter }, headers: { Accept: 'text/csv' }, parseAs: 'text' }));
  const isFiltered = status !== all || client !== all;
  const change = (changes: Record<string, string>) => {
    const kept = Object.entries({ status, client, ...changes }).filter(([, value]) => value !== all && value !== '0');
    setSearch(Object.fromEntries(kept), { replace: true });
  };
  const options = clients.map((each) => ({ id: each.id, label: clientName(each) })).toSorted((a, b) => a.label.localeCompare(b.label));

  return (
    <Page title={texts.pages.orders} text={t.text} actions={<CsvButton filename="orders.csv" load={csv} />}>
      <div className="toolbar">
        <Select label={t.status} labelHidden options={statuses} value={status} onChange={(status) => change({ status })} />
        <Select
          key={clients.length}
          label={t.client}
          labelHidden
          list={SearchableOptions}
          options={[{ id: all, label: t.everyClient }, ...options]}
          value={client}
          onChange={(client) => change({ client })}
        />
      </div>
      <Card>
        <QueryBoundary
          query={query}
          empty={{
            when: ({ orders }) => orders.length === 0 && offset === 0,
            show: isFiltered ? <EmptyState title={t.nothingFound} text={t.nothingFoundText} /> : <NoOrders />,
          }}
        >
          {({ orders, total }) => (
            <>
              <OrderRecords label={texts.pages.orders} orders={orders} />
              <Pager total={total} limit={limit} offset={offset} onOffsetChange={(offset) => change({ offset: String(offset) })} />
            </>
          )}
        </QueryBoundary>
      </Card>
    </Page>
  );
}

/** Leads to what makes the first order: a plan with a price, then a client who has it. */
function NoOrders() {
  const { data: plans = [] } = useQuery(plansQuery());
  const hasPrice = plans.some(({ price }) => price > 0);
  return (
    <EmptyState title={t.empty} text={t.emptyText}>
      <Link className="button primary" to={hasPrice ? '/clients' : '/plans'}>
        {hasPrice ? t.emptyToClients : t.emptyToPlans}
      </Link>
    </EmptyState>
  );
}
