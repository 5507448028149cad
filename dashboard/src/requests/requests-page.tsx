import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { keysQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';
import { Search } from '../components/search.tsx';
import { texts } from '../texts.ts';
import { dashboard, everybody, everyKey, everyStatus } from './request-query.ts';
import { RequestRecords } from './request-records.tsx';

const own = texts.requests;
const statuses = [{ id: everyStatus, label: own.allStatuses }, ...Object.entries(own.statuses).map(([id, label]) => ({ id, label }))];
const credentials = [
  { id: everyKey, label: own.everyKey },
  { id: dashboard, label: own.dashboard },
  { id: everybody, label: own.everybody },
];
const firstRequest = `${curl('GET', '/projects')} \\\n  -i`;

export function RequestsPage() {
  const [search, setSearch] = useSearchParams();
  const [offset, setOffset] = useState(0);
  const { data: keys = [] } = useQuery(keysQuery());
  const requestId = search.get('request_id') ?? '';
  // Whoever looks for one request does not say whose it is.
  const by = search.get('by') ?? (requestId === '' ? everyKey : everybody);
  const status = search.get('status') ?? everyStatus;
  const narrow = (name: string, value: string) => {
    setOffset(0);
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true },
    );
  };
  const isNarrowed = requestId !== '' || status !== everyStatus || by !== everyKey;

  return (
    <Page title={own.title} text={own.text}>
      <div className="toolbar">
        <Search label={own.search} value={requestId} onChange={(text) => narrow('request_id', text.trim())} />
        <Choice
          key={keys.length}
          label={own.by}
          labelHidden
          options={[...credentials, ...keys.map(({ id, name }) => ({ id, label: name }))]}
          value={by}
          onChange={(id) => narrow('by', id)}
        />
        <Choice label={own.status} labelHidden options={statuses} value={status} onChange={(id) => narrow('status', id)} />
      </div>
      <RequestRecords
        filter={{ requestId, by, status, offset }}
        onTurn={setOffset}
        empty={
          isNarrowed ? (
            <Empty title={own.nothingFound} text={own.nothingFoundText} />
          ) : (
            <Empty title={own.empty} text={own.emptyText} request={firstRequest} />
          )
        }
      />
    </Page>
  );
}
