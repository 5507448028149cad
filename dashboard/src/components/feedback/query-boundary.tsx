import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../../texts.ts';
import { ProblemNotice } from './problem-notice.tsx';
import { Skeleton } from './skeleton.tsx';

interface Props<T> {
  readonly query: UseQueryResult<T>;
  /** Shown instead of the children if `when` is true for the data. */
  readonly empty?: { readonly when: (data: T) => boolean; readonly show: ReactNode };
  readonly children: (data: T) => ReactNode;
}

/** Renders the data of a query, or its loading or error state. */
export function QueryBoundary<T>({ query, empty, children }: Props<T>) {
  if (query.data !== undefined) return empty?.when(query.data) ? empty.show : children(query.data);
  if (query.isError) {
    return (
      <div className="empty">
        <ProblemNotice error={query.error} />
        <Button className="button" onPress={() => void query.refetch()} isPending={query.isFetching}>
          {texts.actions.retry}
        </Button>
      </div>
    );
  }
  return <Skeleton failure={query.failureReason} />;
}
