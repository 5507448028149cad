import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson, type Schemas } from '../api/client.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

const t = texts.audit;
const limit = 50;

/** The type makes the compiler require a text for every audited action. */
const acts: Readonly<Record<Schemas['AuditEntry']['action'], string>> = t.acts;

/** Actors without an email address, by their kind. */
const actors: Readonly<Record<string, string | undefined>> = t.actors;

export function AuditPage() {
  const [offset, setOffset] = useState(0);
  const query = useQuery({
    queryKey: ['audit', offset],
    placeholderData: keepPreviousData,
    queryFn: () => readJson(api.GET('/account/audit', { params: { query: { limit, offset } } })),
  });
  return (
    <Page title={texts.pages.audit} text={t.text}>
      <RecordList
        label={texts.pages.audit}
        query={query}
        records={({ entries }) => entries}
        pages={{ limit, offset, total: ({ total }) => total, onOffsetChange: setOffset }}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
        columns={[
          {
            name: t.action,
            cell: ({ action, target }) => (
              <span className="two-lines">
                <strong className="whole-words">{acts[action]}</strong>
                <span>{target.name}</span>
              </span>
            ),
          },
          { name: t.actor, cell: ({ actor }) => <span className="anywhere">{nameOf(actor)}</span> },
          { name: t.network, cell: ({ ip_prefix }) => <span className="number">{ip_prefix ?? '–'}</span>, wide: true },
          { name: t.hash, cell: ({ hash }) => <code title={hash}>{hash.slice(0, 8)}</code>, wide: true },
          { name: t.at, cell: ({ at }) => <Timestamp at={at} />, end: true },
        ]}
      />
    </Page>
  );
}

const unnamedOperator = 'operator';

function nameOf({ kind, id, email }: Schemas['AuditEntry']['actor']): string {
  if (kind === 'operator' && id !== unnamedOperator) return t.operator({ name: id });
  return email ?? actors[kind] ?? '–';
}
