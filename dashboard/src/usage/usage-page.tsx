import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { answer, api } from '../api/client.ts';
import { Card } from '../components/card.tsx';
import { Choice } from '../components/choice.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Figure } from '../components/figure.tsx';
import { LazyDayChart } from '../components/lazy-day-chart.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { texts } from '../texts.ts';
import { KeyUsages } from './key-usages.tsx';

const own = texts.usage;
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
    queryFn: () => answer(api.GET('/account/usage', { params: { query: { days: Number(days) } } })).then(({ usage }) => usage),
  });
  return (
    <Page title={own.title} text={own.text}>
      <div className="toolbar">
        <Choice
          label={texts.analytics.range}
          labelHidden
          options={ranges}
          value={days}
          onChange={(id) => setSearch({ days: id }, { replace: true })}
        />
      </div>
      <Loaded query={query}>
        {(usage) => (
          <>
            <Card>
              <dl className="figures three flat">
                <Figure label={own.requests} value={usage.requests} />
                <Figure label={own.clientErrors} value={usage.client_errors} />
                <Figure label={own.serverErrors} value={usage.server_errors} />
              </dl>
              <LazyDayChart
                days={usage.days.map(({ date, requests }) => ({ date, count: requests }))}
                caption={own.chart}
                spoken={own.requestsCount}
              />
            </Card>
            <Card title={own.byKey}>
              <KeyUsages keys={usage.keys} />
              {usage.keys.some(({ key_id }) => key_id !== null) ? null : (
                <Empty title={own.empty} text={own.emptyText} request={curl('GET', '/projects')} />
              )}
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
