import { Link } from 'react-router';
import type { Schemas } from '../api/client.ts';
import { Records } from '../components/records.tsx';
import { texts } from '../texts.ts';

const own = texts.usage;
const number = new Intl.NumberFormat('en');
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

type KeyUsage = Schemas['KeyUsage'];

/** What each key was used for, and what was asked by people, the busiest first. */
export function KeyUsages({ keys }: { keys: readonly KeyUsage[] }) {
  if (keys.length === 0) return null;
  return (
    <Records
      label={own.byKey}
      records={keys.map((key) => ({ ...key, id: key.key_id ?? 'session' }))}
      columns={[
        { name: own.key, cell: (key) => <KeyName {...key} /> },
        { name: own.requests, cell: ({ requests }) => <Count of={requests} />, end: true },
        { name: own.clientErrors, cell: ({ client_errors }) => <Count of={client_errors} />, end: true, wide: true },
        { name: own.serverErrors, cell: ({ server_errors }) => <Count of={server_errors} />, end: true, wide: true },
        {
          name: own.lastUsed,
          cell: ({ last_used_on }) => (
            <time className="number" dateTime={last_used_on}>
              {day.format(new Date(last_used_on))}
            </time>
          ),
          end: true,
          wide: true,
        },
        {
          name: own.show,
          unnamed: true,
          end: true,
          cell: ({ id }) => (
            <Link className="button compact quiet" to={`/requests?${new URLSearchParams({ by: id })}`}>
              {texts.requests.title}
            </Link>
          ),
        },
      ]}
    />
  );
}

function KeyName({ key_id, name, prefix }: KeyUsage) {
  return (
    <span className="two-lines">
      <strong>{key_id === null ? own.dashboard : (name ?? key_id)}</strong>
      {key_id === null ? <span>{own.dashboardText}</span> : <code>{prefix}…</code>}
    </span>
  );
}

const Count = ({ of }: { of: number }) => <span className="number">{number.format(of)}</span>;
