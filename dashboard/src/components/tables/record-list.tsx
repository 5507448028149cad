import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryBoundary } from '../feedback/query-boundary.tsx';
import { Card } from '../layout/card.tsx';
import { Pager } from './pager.tsx';
import { type Column, RecordTable } from './record-table.tsx';

interface Props<T, R> {
  readonly label: string;
  /** Shows the label above the list, beside the actions. */
  readonly titled?: boolean;
  readonly actions?: ReactNode;
  readonly query: UseQueryResult<T>;
  readonly records: (data: T) => readonly R[];
  readonly columns: readonly Column<R>[];
  /** Shown instead if there are no records. */
  readonly empty?: ReactNode;
  /** Set for paginated lists. */
  readonly pages?: {
    readonly limit: number;
    readonly offset: number;
    readonly total: (data: T) => number;
    readonly onOffsetChange: (offset: number) => void;
  };
}

/** The records of a query as a table in a card, with loading, error and empty states. */
export function RecordList<T, R extends { readonly id: string }>(props: Props<T, R>) {
  const { label, titled = false, actions, query, records, columns, empty, pages } = props;
  // An empty later page keeps its pager, which leads back.
  const isEmpty = (data: T) => empty !== undefined && records(data).length === 0 && (pages?.offset ?? 0) === 0;
  return (
    <Card {...(titled ? { title: label } : {})} actions={actions}>
      <QueryBoundary query={query} empty={{ when: isEmpty, show: empty }}>
        {(data) => (
          <>
            <RecordTable label={label} records={records(data)} columns={columns} />
            {pages === undefined ? null : <Pager {...pages} total={pages.total(data)} />}
          </>
        )}
      </QueryBoundary>
    </Card>
  );
}
