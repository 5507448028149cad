import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { Button } from 'react-aria-components';
import { api, readCsv } from '../api/client.ts';
import { projectsQuery } from '../api/records.ts';
import { LazyDayChart } from '../components/charts/lazy-day-chart.tsx';
import { Stat } from '../components/charts/stat.tsx';
import { CsvButton } from '../components/content/csv-button.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { realtimeQuery, type Visits, visitsQuery } from './analytics-query.ts';
import { BreakdownCard, type List, shownName } from './breakdown-card.tsx';
import { allSites, customRange, useVisitsFilter } from './visits-filter.ts';
import './analytics.css';
import { language } from '../texts/language.ts';

const t = texts.analytics;
const ranges = [
  { id: '1', label: t.today },
  ...Object.entries(t.ranges).map(([id, label]) => ({ id, label })),
  { id: customRange, label: t.customRange },
];
const maxSites = 100;

export function AnalyticsPage() {
  const filter = useVisitsFilter();
  const { filters, query: wanted, setFilter } = filter;
  const query = useQuery(visitsQuery(wanted));
  const csv = () => readCsv(api.GET('/analytics/visits', { params: { query: wanted }, headers: { Accept: 'text/csv' }, parseAs: 'text' }));
  return (
    <Page title={texts.pages.analytics} text={t.text} actions={<CsvButton filename="visits.csv" load={csv} />}>
      <Toolbar filter={filter} />
      {filters.length === 0 ? null : (
        <ul className="filter-chips" aria-label={t.filters}>
          {filters.map(({ name, value }) => (
            <li key={name}>
              <Button
                className="button small"
                onPress={() => setFilter(name, null)}
                aria-label={t.remove({ filter: t.filterNames[name], name: shownName(name, value) })}
              >
                <span className="soft">{t.filterNames[name]}</span>
                {shownName(name, value)}
                <X size={14} aria-hidden />
              </Button>
            </li>
          ))}
          {filters.length === 1 ? null : (
            <li>
              <Button className="button quiet small" onPress={filter.clearFilters}>
                {t.clear}
              </Button>
            </li>
          )}
        </ul>
      )}
      <QueryBoundary query={query}>
        {(visits) => <Figures visits={visits} filter={filter} isStale={query.isPlaceholderData} />}
      </QueryBoundary>
    </Page>
  );
}

type Filter = ReturnType<typeof useVisitsFilter>;

function Toolbar({ filter: { days, site, range, setDays, setDay, setSite, query } }: { filter: Filter }) {
  const { data } = useQuery(projectsQuery({ limit: maxSites }));
  const { data: present } = useQuery(realtimeQuery(query.project_id === undefined ? {} : { project_id: query.project_id }));
  const sites = (data?.projects ?? []).filter(({ published_url }) => published_url !== null).map(({ id, name }) => ({ id, label: name }));
  return (
    <div className="toolbar">
      <Select label={t.range} labelHidden options={ranges} value={days} onChange={setDays} />
      {days === customRange
        ? (['from', 'to'] as const).map((name) => (
            <Field key={name} type="date" name={name} label={t[name]} value={range[name]} onChange={(day) => setDay(name, day)} />
          ))
        : null}
      <Select
        key={sites.length}
        label={t.site}
        labelHidden
        options={[{ id: allSites, label: t.everySite }, ...sites]}
        value={site}
        onChange={setSite}
      />
      {present === undefined ? null : (
        <p className={present > 0 ? 'realtime present' : 'realtime'} title={t.realtimeHint}>
          {t.realtime({ count: present })}
        </p>
      )}
    </div>
  );
}

function Figures({ visits, filter, isStale }: { visits: Visits; filter: Filter; isStale: boolean }) {
  const { previous, hours, days } = visits;
  const { filters, setFilter } = filter;
  const isByHour = hours.length > 0;
  const counted = isByHour ? hours.map(({ hour, ...counts }) => ({ ...counts, date: String(hour) })) : days;
  const list = (id: keyof typeof t.lists, rows: List['rows'], name: List['filter'], by: List['by'] = 'visitors'): List => ({
    ...{ id, title: t.lists[id], rows, filter: name, by },
  });
  return (
    <div className="figures" aria-busy={isStale}>
      <Card>
        <dl className="stats flat">
          <Stat label={t.views} value={visits.views} note={changeText(visits.views, previous.views)} />
          <Stat
            label={filters.some(({ name }) => name === 'page') ? t.visitorsBegan : t.visitors}
            value={visits.visitors}
            note={changeText(visits.visitors, previous.visitors)}
          />
        </dl>
        <LazyDayChart
          days={counted.map(({ date, views, visitors }) => ({ date, count: views, other: visitors }))}
          caption={isByHour ? t.hourChart : t.chart}
          formatCount={t.count}
          names={[t.views, t.visitors]}
          empty={filters.length > 0 ? { title: t.noneLeft, text: t.noneLeftText } : { title: t.noViews, text: t.noViewsText }}
          {...(isByHour && { formatDay: (hour: string) => `${hour.padStart(2, '0')}:00` })}
        />
      </Card>
      {visits.unknown === 0 ? null : <p className="soft small">{t.unknown({ views: visits.unknown })}</p>}
      {visits.views === 0 ? null : (
        <div className="columns">
          <BreakdownCard
            title={t.pages}
            lists={[list('viewed', visits.pages, 'page', 'views'), list('entry', visits.entry_pages, 'page')]}
            onFilter={setFilter}
          />
          <BreakdownCard
            title={t.cameFrom}
            lists={[
              list('referrers', visits.referrers, 'referrer'),
              list('sources', visits.sources, 'source'),
              list('mediums', visits.mediums, 'medium'),
              list('campaigns', visits.campaigns, 'campaign'),
            ]}
            onFilter={setFilter}
          />
          <BreakdownCard
            title={t.countries}
            note={t.countriesNote}
            lists={[list('countries', visits.countries, 'country')]}
            onFilter={setFilter}
          />
          <BreakdownCard
            title={t.equipment}
            lists={[
              list('devices', visits.devices, 'device'),
              list('browsers', visits.browsers, 'browser'),
              list('systems', visits.systems, 'system'),
            ]}
            onFilter={setFilter}
          />
        </div>
      )}
    </div>
  );
}

const percent = new Intl.NumberFormat(language, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 });

/** How a count differs from that of the period before. */
const changeText = (count: number, before: number): string =>
  before === 0 ? t.nothingBefore : t.change({ percent: percent.format((count - before) / before), before });
