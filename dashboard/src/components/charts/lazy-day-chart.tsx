import { lazy, Suspense } from 'react';
import type { DayCounts } from './day-chart.tsx';
import { Skeleton } from './skeleton.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

/** The chart; what draws it is loaded when it is first needed. */
export function LazyDayChart(props: DayCounts) {
  return (
    <div className="chart-place">
      <Suspense fallback={<Skeleton />}>
        <DayChart {...props} />
      </Suspense>
    </div>
  );
}
