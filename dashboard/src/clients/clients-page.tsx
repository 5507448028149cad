import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../api/may.ts';
import { type Client, clientsQuery, plansQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { Search } from '../components/search.tsx';
import { texts } from '../texts.ts';
import { ClientStatus, clientName, PaymentStatus } from './client-status.tsx';
import { InviteClient } from './invite-client.tsx';

const own = texts.clients;
const everyStatus = 'all';
const statuses = [{ id: everyStatus, label: own.allStatuses }, ...Object.entries(own.statuses).map(([id, label]) => ({ id, label }))];
const request = curl('POST', '/clients', { email: 'rosa@example.com', name: 'Rosa Marini' });

export function ClientsPage() {
  const [sought, setSought] = useState('');
  const [status, setStatus] = useState(everyStatus);
  const query = useQuery(clientsQuery());
  const { data: plans = [] } = useQuery(plansQuery());
  const mayWrite = useMay('write');
  const planName = (id: string | null) => plans.find((plan) => plan.id === id)?.name ?? '–';
  const matches = (client: Client) =>
    (status === everyStatus || client.status === status) &&
    `${client.name} ${client.company} ${client.email}`.toLowerCase().includes(sought.trim().toLowerCase());

  return (
    <Page title={own.title} text={own.text} actions={mayWrite ? <InviteClient /> : null}>
      <div className="toolbar">
        <Search label={own.search} value={sought} onChange={setSought} />
        <Choice label={own.status} labelHidden options={statuses} value={status} onChange={setStatus} />
      </div>
      <RecordList
        label={own.title}
        query={query}
        records={(clients) => clients.filter(matches)}
        empty={
          query.data?.length === 0 ? (
            <Empty title={own.empty} text={own.emptyText} request={request} />
          ) : (
            <Empty title={own.nothingFound} text={own.nothingFoundText} />
          )
        }
        columns={[
          {
            name: own.one,
            cell: (client) => (
              <span className="two-lines">
                <Link className="row-link" to={`/clients/${client.id}`}>
                  {clientName(client)}
                </Link>
                <span>{[client.name === null ? null : client.company, client.email].filter(Boolean).join(' · ')}</span>
              </span>
            ),
          },
          { name: own.status, cell: (client) => <ClientStatus {...client} /> },
          { name: own.plan, cell: ({ plan_id }) => planName(plan_id), wide: true },
          { name: own.payment, cell: (client) => <PaymentStatus {...client} />, wide: true },
          { name: own.since, cell: ({ created_at }) => <Moment at={created_at} />, wide: true, end: true },
        ]}
      />
    </Page>
  );
}
