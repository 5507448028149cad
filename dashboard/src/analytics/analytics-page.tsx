import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { api, readCsv } from '../api/client.ts';
import { projectsQuery } from '../api/records.ts';
import { Stat } from '../components/charts/stat.tsx';
import { CsvButton } from '../components/content/csv-button.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { analyticsQuery } from './analytics-query.ts';
import { TopList } from './top-list.tsx';
import { ViewsChart } from './views-chart.tsx';

const t = texts.analytics;
const allSites = 'all';
const defaultDays = '30';
const ranges = Object.entries(t.ranges).map(([id, label]) => ({ id, label }));
const maxSites = 100;

export function AnalyticsPage() {
  const [search, setSearch] = useSearchParams();
  const days = search.get('days') ?? defaultDays;
  const site = search.get('project') ?? allSites;
  const filter = { days: Number(days), ...(site === allSites ? {} : { project_id: site }) };
  const query = useQuery(analyticsQuery(filter));
  const { data } = useQuery(projectsQuery({ limit: maxSites }));
  const sites = (data?.projects ?? []).filter(({ published_url }) => published_url !== null).map(({ id, name }) => ({ id, label: name }));
  const csv = () => readCsv(api.GET('/analytics', { params: { query: filter }, headers: { Accept: 'text/csv' }, parseAs: 'text' }));
  const setFilter = (name: string, value: string) => setSearch({ days, project: site, [name]: value }, { replace: true });

  return (
    <Page title={t.title} text={t.text} actions={<CsvButton filename="analytics.csv" load={csv} />}>
      <div className="toolbar">
        <Select label={t.range} labelHidden options={ranges} value={days} onChange={(id) => setFilter('days', id)} />
        <Select
          key={sites.length}
          label={t.site}
          labelHidden
          options={[{ id: allSites, label: t.everySite }, ...sites]}
          value={site}
          onChange={(id) => setFilter('project', id)}
        />
      </div>
      <QueryBoundary query={query}>
        {({ totalViews, uniqueVisitors, dailyViews, topPages, topReferrers, deviceBreakdown }) => (
          <>
            <Card>
              <dl className="stats flat">
                <Stat label={t.views} value={totalViews} />
                <Stat label={t.visitors} value={uniqueVisitors} />
              </dl>
              <ViewsChart dailyViews={dailyViews} />
            </Card>
            <div className="columns">
              <TopList title={t.pages} rows={topPages.map(({ path, views }) => ({ name: path, views }))} />
              <TopList title={t.referrers} rows={topReferrers.map(({ referrer, views }) => ({ name: referrer, views }))} />
              <TopList title={t.devices} rows={deviceBreakdown.map(({ device, views }) => ({ name: device, views }))} />
            </div>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}
