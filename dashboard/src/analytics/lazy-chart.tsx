import { lazy, Suspense } from 'react';
import { Skeleton } from '../components/skeleton.tsx';
import type { Analytics } from './analytics-query.ts';

const ViewsChart = lazy(async () => ({ default: (await import('./views-chart.tsx')).ViewsChart }));

/** The chart; what draws it is large, and loaded when it is first needed. */
export function LazyChart(props: Pick<Analytics, 'dailyViews'>) {
  return (
    <Suspense fallback={<Skeleton />}>
      <ViewsChart {...props} />
    </Suspense>
  );
}
