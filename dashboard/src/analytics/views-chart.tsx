import { LazyDayChart } from '../components/charts/lazy-day-chart.tsx';
import { texts } from '../texts.ts';
import type { Analytics } from './analytics-query.ts';

const t = texts.analytics;

export function ViewsChart({ dailyViews }: Pick<Analytics, 'dailyViews'>) {
  const days = dailyViews.map(({ date, views }) => ({ date, count: views }));
  return <LazyDayChart days={days} caption={t.viewsChart} formatCount={t.viewsCount} empty={{ title: t.noViews, text: t.noViewsText }} />;
}
