import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, api, type Schemas } from '../api/client.ts';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { texts } from '../texts.ts';

const own = texts.audit;
const limit = 50;

/** Checked by the compiler to say something of every act there is. */
const acts: Readonly<Record<Schemas['AuditEntry']['action'], string>> = own.acts;

export function AuditPage() {
  const [offset, setOffset] = useState(0);
  const query = useQuery({
    queryKey: ['audit', offset],
    placeholderData: keepPreviousData,
    queryFn: () => answer(api.GET('/account/audit', { params: { query: { limit, offset } } })),
  });
  return (
    <Page title={own.title} text={own.text}>
      <RecordList
        label={own.title}
        query={query}
        records={({ entries }) => entries}
        pages={{ limit, offset, total: ({ total }) => total, onTurn: setOffset }}
        empty={<Empty title={own.empty} text={own.emptyText} />}
        columns={[
          {
            name: own.action,
            cell: ({ action, target }) => (
              <span className="two-lines">
                <strong className="whole-words">{acts[action]}</strong>
                <span>{target.name}</span>
              </span>
            ),
          },
          { name: own.actor, cell: ({ actor }) => <span className="anywhere">{actor.email ?? (actor.kind || '–')}</span> },
          { name: own.network, cell: ({ ip_prefix }) => <span className="number">{ip_prefix ?? '–'}</span>, wide: true },
          { name: own.hash, cell: ({ hash }) => <code title={hash}>{hash.slice(0, 8)}</code>, wide: true },
          { name: own.at, cell: ({ at }) => <Moment at={at} />, end: true },
        ]}
      />
    </Page>
  );
}
