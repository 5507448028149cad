import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../texts.ts';
import { ProblemNotice } from './notice.tsx';
import { Skeleton } from './skeleton.tsx';

interface Props<T> {
  readonly query: UseQueryResult<T>;
  /** Shown instead, when there is nothing to show. */
  readonly empty?: { readonly when: (data: T) => boolean; readonly show: ReactNode };
  readonly children: (data: T) => ReactNode;
}

/** What a query brought; until then that it is on its way, or why it did not come. */
export function Loaded<T>({ query, empty, children }: Props<T>) {
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
  return <Skeleton />;
}
