import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { answer, api } from '../api/client.ts';
import { Badge } from '../components/badge.tsx';
import { Moment } from '../components/moment.tsx';
import { ProblemNotice } from '../components/notice.tsx';
import { RecordList } from '../components/record-list.tsx';
import { useAct } from '../components/use-act.ts';
import { texts } from '../texts.ts';
import { deviceName } from './device-name.ts';

const own = texts.account;

/** Where the account is signed in, and the way to end it there. */
export function Devices() {
  const query = useQuery({ queryKey: ['devices'], queryFn: () => answer(api.GET('/account/sessions')) });
  const signOut = useAct('devices', (sessionId: string) =>
    answer(api.DELETE('/account/sessions/{sessionId}', { params: { path: { sessionId } } })),
  );
  return (
    <>
      <ProblemNotice error={signOut.error} />
      <RecordList
        label={own.sessions}
        titled
        query={query}
        records={({ sessions }) => sessions}
        columns={[
          {
            name: own.device,
            cell: ({ user_agent, current }) => (
              <span className="badges">
                {deviceName(user_agent)}
                {current ? <Badge tone="good">{own.thisDevice}</Badge> : null}
              </span>
            ),
          },
          { name: own.network, cell: ({ ip_prefix }) => <span className="number">{ip_prefix || '–'}</span>, wide: true },
          { name: own.since, cell: ({ created_at }) => <Moment at={created_at} /> },
          {
            name: own.signOut,
            unnamed: true,
            end: true,
            // One signs out here by the menu.
            cell: ({ id, current }) =>
              current ? null : (
                <Button className="button compact quiet" onPress={() => signOut.mutate(id)}>
                  {own.signOut}
                </Button>
              ),
          },
        ]}
      />
    </>
  );
}
