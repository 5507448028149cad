import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { Badge, type Tone } from '../components/badge.tsx';
import { RecordList } from '../components/record-list.tsx';
import { Window } from '../components/window.tsx';
import { texts } from '../texts.ts';
import { RequestDetails } from './request-details.tsx';
import { type LoggedRequest, limit, type RequestFilter, requestsQuery } from './request-query.ts';

const own = texts.requests;
/** To the second: a log is compared with other logs. */
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const tones: Readonly<Record<number, Tone>> = { 2: 'good', 4: 'warn', 5: 'bad' };
const what = ({ method, route }: LoggedRequest) => `${method} ${route ?? own.noRoute}`;

interface Props {
  readonly filter: RequestFilter;
  readonly onTurn: (offset: number) => void;
  readonly empty: ReactNode;
}

/** The requests that are wanted; each opens to its details. */
export function RequestRecords({ filter, onTurn, empty }: Props) {
  const query = useQuery(requestsQuery(filter));
  const [opened, setOpened] = useState<LoggedRequest>();
  return (
    <>
      <RecordList
        label={own.title}
        query={query}
        records={({ requests }) => requests}
        pages={{ limit, offset: filter.offset, total: ({ total }) => total, onTurn }}
        empty={empty}
        columns={[
          {
            name: own.request,
            cell: (request) => (
              <span className="two-lines">
                <Button className="row-link" onPress={() => setOpened(request)}>
                  <code>{what(request)}</code>
                </Button>
                <span>{request.credential.name}</span>
              </span>
            ),
          },
          { name: own.status, cell: ({ status }) => <Badge tone={tones[Math.floor(status / 100)] ?? 'plain'}>{status}</Badge> },
          { name: own.code, cell: ({ code }) => (code === null ? null : <code>{code}</code>), wide: true },
          { name: own.duration, cell: ({ duration_ms }) => <span className="number">{duration_ms} ms</span>, wide: true, end: true },
          { name: own.at, cell: ({ at }) => <LoggedAt at={at} />, end: true },
        ]}
      />
      <Window
        title={opened === undefined ? own.details : what(opened)}
        isOpen={opened !== undefined}
        onOpenChange={(isOpen) => isOpen || setOpened(undefined)}
      >
        {opened === undefined ? null : <RequestDetails request={opened} onClose={() => setOpened(undefined)} />}
      </Window>
    </>
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
