import { Link } from 'react-router';
import type { Schemas } from '../api/client.ts';
import { RecordTable } from '../components/tables/record-table.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const t = texts.usage;
const number = new Intl.NumberFormat(language);
const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });

type KeyUsage = Schemas['KeyUsage'];

/** Requests per API key, and of the dashboard, busiest first. */
export function KeyUsages({ keys }: { keys: readonly KeyUsage[] }) {
  if (keys.length === 0) return null;
  return (
    <RecordTable
      label={t.byKey}
      records={keys.map((key) => ({ ...key, id: key.key_id ?? 'session' }))}
      columns={[
        { name: t.key, cell: (key) => <KeyName {...key} /> },
        { name: t.requests, cell: ({ requests }) => <Count of={requests} />, end: true },
        { name: t.clientErrors, cell: ({ client_errors }) => <Count of={client_errors} />, end: true, wide: true },
        { name: t.serverErrors, cell: ({ server_errors }) => <Count of={server_errors} />, end: true, wide: true },
        {
          name: t.lastUsed,
          cell: ({ last_used_on }) => (
            <time className="number" dateTime={last_used_on}>
              {day.format(new Date(last_used_on))}
            </time>
          ),
          end: true,
          wide: true,
        },
        {
          name: t.show,
          unnamed: true,
          end: true,
          cell: ({ id }) => (
            <Link className="button compact quiet" to={`/requests?${new URLSearchParams({ by: id })}`}>
              {texts.pages.requests}
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
      <strong>{key_id === null ? t.dashboard : (name ?? key_id)}</strong>
      {key_id === null ? <span>{t.dashboardText}</span> : <code>{prefix}…</code>}
    </span>
  );
}

const Count = ({ of }: { of: number }) => <span className="number">{number.format(of)}</span>;
