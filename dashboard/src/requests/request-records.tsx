import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Badge, type Tone } from '../components/feedback/badge.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';
import { type LoggedRequest, limit, type RequestFilter, requestsQuery } from './request-query.ts';

const t = texts.requests;
/** With seconds, to compare with other logs. */
const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
const tones: Readonly<Record<number, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };
export const toneOf = (status: number): Tone => tones[Math.floor(status / 100)] ?? 'plain';
export const requestLine = ({ method, route }: LoggedRequest) => `${method} ${route ?? t.noRoute}`;

interface Props {
  readonly filter: RequestFilter;
  readonly onOffsetChange: (offset: number) => void;
  readonly empty: ReactNode;
}

/** The requests that match the filter; each leads to its page. */
export function RequestRecords({ filter, onOffsetChange, empty }: Props) {
  const query = useQuery(requestsQuery(filter));
  return (
    <RecordList
      label={texts.pages.requests}
      query={query}
      records={({ requests }) => requests}
      pages={{ limit, offset: filter.offset, total: ({ total }) => total, onOffsetChange }}
      empty={empty}
      columns={[
        {
          name: t.request,
          cell: (request) => (
            <span className="two-lines">
              <Link className="row-link" to={`/requests/${encodeURIComponent(request.request_id)}`}>
                <code>{requestLine(request)}</code>
              </Link>
              <span>{request.credential.name}</span>
            </span>
          ),
        },
        { name: t.status, cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
        { name: t.code, cell: ({ code }) => (code === null ? null : <code>{code}</code>), wide: true },
        { name: t.duration, cell: ({ duration_ms }) => <span className="number">{duration_ms} ms</span>, wide: true, end: true },
        { name: t.at, cell: ({ at }) => <LoggedAt at={at} />, end: true },
      ]}
    />
  );
}

function LoggedAt({ at }: Pick<LoggedRequest, 'at'>) {
  const date = new Date(at);
  return (
    <time className="two-lines number" dateTime={at}>
      <span>{clock.format(date)}</span>
      <span>{day.format(date)}</span>
    </time>
  );
}
