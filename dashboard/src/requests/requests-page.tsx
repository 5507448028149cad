import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { keysQuery } from '../api/records.ts';
import { curl } from '../components/content/curl.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Search } from '../components/forms/search.tsx';
import { Select } from '../components/forms/select.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { anyCredential, anyKey, anyStatus, dashboardSessions } from './request-query.ts';
import { RequestRecords } from './request-records.tsx';

const t = texts.requests;
const statuses = [{ id: anyStatus, label: t.allStatuses }, ...Object.entries(t.statuses).map(([id, label]) => ({ id, label }))];
const credentials = [
  { id: anyKey, label: t.everyKey },
  { id: dashboardSessions, label: t.dashboard },
  { id: anyCredential, label: t.everybody },
];
const firstRequest = `${curl('GET', '/projects')} \\\n  -i`;

export function RequestsPage() {
  const [search, setSearch] = useSearchParams();
  const [offset, setOffset] = useState(0);
  const { data: keys = [] } = useQuery(keysQuery());
  const requestId = search.get('request_id') ?? '';
  // A search for one request id covers all credentials.
  const by = search.get('by') ?? (requestId === '' ? anyKey : anyCredential);
  const status = search.get('status') ?? anyStatus;
  const setFilter = (name: string, value: string) => {
    setOffset(0);
    setSearch(
      (previous) => {
        if (value === '') previous.delete(name);
        else previous.set(name, value);
        return previous;
      },
      { replace: true },
    );
  };
  const isFiltered = requestId !== '' || status !== anyStatus || by !== anyKey;

  return (
    <Page title={texts.pages.requests} text={t.text}>
      <div className="toolbar">
        <Search label={t.search} value={requestId} onChange={(text) => setFilter('request_id', text.trim())} />
        <Select
          key={keys.length}
          label={t.by}
          labelHidden
          options={[...credentials, ...keys.map(({ id, name }) => ({ id, label: name }))]}
          value={by}
          onChange={(id) => setFilter('by', id)}
        />
        <Select label={t.status} labelHidden options={statuses} value={status} onChange={(id) => setFilter('status', id)} />
      </div>
      <RequestRecords
        filter={{ requestId, by, status, offset }}
        onOffsetChange={setOffset}
        empty={
          isFiltered ? (
            <EmptyState title={t.nothingFound} text={t.nothingFoundText} />
          ) : (
            <EmptyState title={t.empty} text={t.emptyText} request={firstRequest} />
          )
        }
      />
    </Page>
  );
}
