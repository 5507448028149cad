import { lazy, Suspense } from 'react';
import type { DayCounts } from './day-chart.tsx';
import { Skeleton } from './skeleton.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

/** The chart; what draws it is large, and loaded when it is first needed. */
export function LazyDayChart(props: DayCounts) {
  return (
    <Suspense fallback={<Skeleton />}>
      <DayChart {...props} />
    </Suspense>
  );
}
