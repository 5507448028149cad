import { lazy, Suspense } from 'react';
import { EmptyState } from '../feedback/empty-state.tsx';
import { Skeleton } from '../feedback/skeleton.tsx';
import type { DayCounts } from './day-chart.tsx';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));

interface Props extends DayCounts {
  /** What is said where nothing was counted. */
  readonly empty: { readonly title: string; readonly text: string };
}

/** A `DayChart` whose code loads on first use, or an empty state if every count is 0. */
export function LazyDayChart({ empty, ...counts }: Props) {
  if (counts.days.every(({ count, other = 0 }) => count === 0 && other === 0)) return <EmptyState {...empty} />;
  return (
    <div className="chart-place">
      <Suspense fallback={<Skeleton />}>
        <DayChart {...counts} />
      </Suspense>
    </div>
  );
}
