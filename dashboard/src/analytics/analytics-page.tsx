import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api, table } from '../api/client.ts';
import { projectsQuery } from '../api/records.ts';
import { Card } from '../components/card.tsx';
import { Choice } from '../components/choice.tsx';
import { Figure } from '../components/figure.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Page } from '../components/page.tsx';
import { texts } from '../texts.ts';
import { analyticsQuery } from './analytics-query.ts';
import { CsvButton } from './csv-button.tsx';
import { TopList } from './top-list.tsx';
import { ViewsChart } from './views-chart.tsx';

const own = texts.analytics;
const everySite = 'all';
const usualDays = '30';
const ranges = Object.entries(own.ranges).map(([id, label]) => ({ id, label }));
const sitesOffered = 100;

export function AnalyticsPage() {
  const [search, setSearch] = useSearchParams();
  const days = search.get('days') ?? usualDays;
  const site = search.get('project') ?? everySite;
  const asked = { days: Number(days), ...(site === everySite ? {} : { project_id: site }) };
  const query = useQuery(analyticsQuery(asked));
  const { data } = useQuery(projectsQuery({ limit: sitesOffered }));
  const sites = (data?.projects ?? []).filter(({ published_url }) => published_url !== null).map(({ id, name }) => ({ id, label: name }));
  const csv = () => table(api.GET('/analytics', { params: { query: asked }, headers: { Accept: 'text/csv' }, parseAs: 'text' }));
  const choose = (name: string, value: string) => setSearch({ days, project: site, [name]: value }, { replace: true });

  return (
    <Page title={own.title} text={own.text} actions={<CsvButton filename="analytics.csv" load={csv} />}>
      <div className="toolbar">
        <Choice label={own.range} labelHidden options={ranges} value={days} onChange={(id) => choose('days', id)} />
        <Choice
          key={sites.length}
          label={own.site}
          labelHidden
          options={[{ id: everySite, label: own.everySite }, ...sites]}
          value={site}
          onChange={(id) => choose('project', id)}
        />
      </div>
      <Loaded query={query}>
        {({ totalViews, uniqueVisitors, dailyViews, topPages, topReferrers, deviceBreakdown }) => (
          <>
            <Card>
              <dl className="figures flat">
                <Figure label={own.views} value={totalViews} />
                <Figure label={own.visitors} value={uniqueVisitors} />
              </dl>
              <ViewsChart dailyViews={dailyViews} />
            </Card>
            <div className="columns">
              <TopList title={own.pages} rows={topPages.map(({ path, views }) => ({ name: path, views }))} />
              <TopList title={own.referrers} rows={topReferrers.map(({ referrer, views }) => ({ name: referrer, views }))} />
              <TopList title={own.devices} rows={deviceBreakdown.map(({ device, views }) => ({ name: device, views }))} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}
