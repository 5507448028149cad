import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { deviceName } from './device-name.ts';

const t = texts.account;

/** The account's sessions, each with a button to end it. */
export function Devices() {
  const query = useQuery({ queryKey: ['devices'], queryFn: () => readJson(api.GET('/account/sessions')) });
  const signOut = useAction('devices', (sessionId: string) =>
    readJson(api.DELETE('/account/sessions/{sessionId}', { params: { path: { sessionId } } })),
  );
  return (
    <>
      <ProblemNotice error={signOut.error} />
      <RecordList
        label={t.sessions}
        titled
        query={query}
        records={({ sessions }) => sessions}
        columns={[
          {
            name: t.device,
            cell: ({ user_agent, current }) => (
              <span className="badges">
                {deviceName(user_agent)}
                {current ? <Badge tone="good">{t.thisDevice}</Badge> : null}
              </span>
            ),
          },
          { name: t.network, cell: ({ ip_prefix }) => <span className="number">{ip_prefix || '–'}</span>, wide: true },
          { name: t.since, cell: ({ created_at }) => <Timestamp at={created_at} /> },
          {
            name: t.signOut,
            unnamed: true,
            end: true,
            // The current session is ended from the account menu.
            cell: ({ id, current }) =>
              current ? null : (
                <Button className="button compact quiet" onPress={() => signOut.mutate(id)}>
                  {t.signOut}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
