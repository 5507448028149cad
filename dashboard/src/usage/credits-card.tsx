import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { Stat } from '../components/charts/stat.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { RecordTable } from '../components/tables/record-table.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const t = texts.credits;
const latest = 10;
const number = new Intl.NumberFormat(language, { signDisplay: 'exceptZero' });

/** What turns of models may still cost, and the latest lines of the ledger. */
export function CreditsCard() {
  const query = useQuery({
    queryKey: ['credits'],
    queryFn: () => readJson(api.GET('/account/credits', { params: { query: { limit: latest } } })),
  });
  return (
    <Card title={t.title}>
      <p className="card-body soft">{t.text}</p>
      <QueryBoundary query={query}>
        {({ balance, reserved, entries }) => (
          <>
            <dl className="stats flat">
              <Stat label={t.balance} value={balance} />
              <Stat label={t.reserved} value={reserved} />
            </dl>
            <RecordTable
              label={t.ledger}
              records={entries}
              columns={[
                { name: t.what, cell: (entry) => <What {...entry} /> },
                { name: t.amount, cell: ({ amount }) => <span className="number">{number.format(amount)}</span>, end: true },
                {
                  name: t.after,
                  cell: ({ balance }) => <span className="number">{balance.toLocaleString(language)}</span>,
                  end: true,
                  wide: true,
                },
                { name: t.when, cell: ({ created_at }) => <Timestamp at={created_at} />, end: true },
              ]}
            />
          </>
        )}
      </QueryBoundary>
    </Card>
  );
}

function What({ kind, note }: Schemas['CreditEntry']) {
  return (
    <span className="two-lines">
      <strong>{t.kinds[kind]}</strong>
      {note === null ? null : <span>{note}</span>}
    </span>
  );
}
