import { LazyDayChart } from '../components/lazy-day-chart.tsx';
import { texts } from '../texts.ts';
import type { Analytics } from './analytics-query.ts';

/** Views by day. */
export function ViewsChart({ dailyViews }: Pick<Analytics, 'dailyViews'>) {
  const days = dailyViews.map(({ date, views }) => ({ date, count: views }));
  return <LazyDayChart days={days} caption={texts.analytics.chart} spoken={texts.analytics.viewsCount} />;
}
