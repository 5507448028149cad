import { lazy, Suspense } from 'react';
import { Skeleton } from '../feedback/skeleton.tsx';
import type { DayCounts } from './day-chart.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

/** A `DayChart` whose code loads on first use. */
export function LazyDayChart(props: DayCounts) {
  return (
    <div className="chart-place">
      <Suspense fallback={<Skeleton />}>
        <DayChart {...props} />
      </Suspense>
    </div>
  );
}
