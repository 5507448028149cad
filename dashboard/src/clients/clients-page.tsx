import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../api/permissions.ts';
import { type Client, clientsQuery, plansQuery } from '../api/records.ts';
import { curl } from '../components/content/curl.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Search } from '../components/forms/search.tsx';
import { Select } from '../components/forms/select.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { contains } from '../contains.ts';
import { texts } from '../texts.ts';
import { ClientStatus, clientName, PaymentStatus } from './client-status.tsx';
import { InviteClient } from './invite-client.tsx';

const t = texts.clients;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: t.allStatuses }, ...Object.entries(t.statuses).map(([id, label]) => ({ id, label }))];
const request = curl('POST', '/clients', { email: 'rosa@example.com', name: 'Rosa Marini' });

export function ClientsPage() {
  const [sought, setSought] = useState('');
  const [status, setStatus] = useState(everyStatus);
  const query = useQuery(clientsQuery());
  const { data: plans = [] } = useQuery(plansQuery());
  const canWrite = usePermission('write');
  const planName = (id: string | null) => plans.find((plan) => plan.id === id)?.name ?? '–';
  const matches = (client: Client) =>
    (status === everyStatus || client.status === status) && contains(`${client.name} ${client.company} ${client.email}`, sought.trim());

  return (
    <Page title={texts.pages.clients} text={t.text} actions={canWrite ? <InviteClient /> : null}>
      <div className="toolbar">
        <Search label={t.search} value={sought} onChange={setSought} />
        <Select label={t.status} labelHidden options={statuses} value={status} onChange={setStatus} />
      </div>
      <RecordList
        label={texts.pages.clients}
        query={query}
        records={(clients) => clients.filter(matches)}
        empty={
          query.data?.length === 0 ? (
            <EmptyState title={t.empty} text={t.emptyText} request={request} />
          ) : (
            <EmptyState title={t.nothingFound} text={t.nothingFoundText} />
          )
        }
        columns={[
          {
            name: t.one,
            cell: (client) => (
              <span className="two-lines">
                <Link className="row-link" to={`/clients/${client.id}`}>
                  {clientName(client)}
                </Link>
                <span>{[client.name === null ? null : client.company, client.email].filter(Boolean).join(' · ')}</span>
              </span>
            ),
          },
          { name: t.status, cell: (client) => <ClientStatus {...client} /> },
          { name: t.plan, cell: ({ plan_id }) => planName(plan_id), wide: true },
          { name: t.payment, cell: (client) => <PaymentStatus {...client} />, wide: true },
          { name: t.since, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true, end: true },
        ]}
      />
    </Page>
  );
}
