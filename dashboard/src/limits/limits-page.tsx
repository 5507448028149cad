import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { LimitRow } from './limit-row.tsx';
import './limits.css';

const t = texts.limits;

export function LimitsPage() {
  const query = useQuery({
    queryKey: ['limits'],
    // What is used changes on other pages.
    staleTime: 0,
    queryFn: () => readJson(api.GET('/account/limits')).then(({ limits }) => limits),
  });
  return (
    <Page title={texts.pages.limits} text={t.text}>
      <Card>
        <QueryBoundary query={query}>
          {(limits) => (
            <ul className="limits">
              {limits.map((limit) => (
                <LimitRow key={limit.name} limit={limit} />
              ))}
            </ul>
          )}
        </QueryBoundary>
      </Card>
    </Page>
  );
}
