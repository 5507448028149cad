import { LazyDayChart } from '../components/charts/lazy-day-chart.tsx';
import { texts } from '../texts.ts';
import type { Analytics } from './analytics-query.ts';

export function ViewsChart({ dailyViews }: Pick<Analytics, 'dailyViews'>) {
  const days = dailyViews.map(({ date, views }) => ({ date, count: views }));
  return <LazyDayChart days={days} caption={texts.analytics.chart} formatCount={texts.analytics.viewsCount} />;
}
