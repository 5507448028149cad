import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api, readJson } from '../api/client.ts';
import { LazyDayChart } from '../components/charts/lazy-day-chart.tsx';
import { Stat } from '../components/charts/stat.tsx';
import { curl } from '../components/content/curl.ts';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { CreditsCard } from './credits-card.tsx';
import { KeyUsages } from './key-usages.tsx';

const t = texts.usage;
const usualDays = '30';
const refreshMs = 30_000;
const ranges = Object.entries(texts.analytics.ranges).map(([id, label]) => ({ id, label }));

export function UsagePage() {
  const [search, setSearch] = useSearchParams();
  const days = search.get('days') ?? usualDays;
  const query = useQuery({
    queryKey: ['usage', days],
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    queryFn: () => readJson(api.GET('/account/usage', { params: { query: { days: Number(days) } } })).then(({ usage }) => usage),
  });
  return (
    <Page title={texts.pages.usage} text={t.text}>
      <div className="toolbar">
        <Select
          label={texts.analytics.range}
          labelHidden
          options={ranges}
          value={days}
          onChange={(id) => setSearch({ days: id }, { replace: true })}
        />
      </div>
      <QueryBoundary query={query}>
        {(usage) => (
          <>
            <Card>
              <dl className="stats three flat">
                <Stat label={t.requests} value={usage.requests} />
                <Stat label={t.clientErrors} value={usage.client_errors} />
                <Stat label={t.serverErrors} value={usage.server_errors} />
              </dl>
              <LazyDayChart
                days={usage.days.map(({ date, requests }) => ({ date, count: requests }))}
                caption={t.chart}
                formatCount={t.requestsCount}
                empty={{ title: t.noRequests, text: t.noRequestsText }}
              />
            </Card>
            <Card title={t.byKey}>
              <KeyUsages keys={usage.keys} />
              {usage.keys.some(({ key_id }) => key_id !== null) ? null : (
                <EmptyState title={t.empty} text={t.emptyText} request={curl('GET', '/projects')} />
              )}
            </Card>
          </>
        )}
      </QueryBoundary>
      <CreditsCard />
    </Page>
  );
}
