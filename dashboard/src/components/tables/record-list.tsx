import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { Loaded } from './loaded.tsx';
import { Pager } from './pager.tsx';
import { type Column, Records } from './records.tsx';

interface Props<T, R> {
  readonly label: string;
  /** The label stands above the list, and beside it what can be done. */
  readonly titled?: boolean;
  readonly actions?: ReactNode;
  readonly query: UseQueryResult<T>;
  readonly records: (data: T) => readonly R[];
  readonly columns: readonly Column<R>[];
  /** Shown instead, where there are no records. */
  readonly empty?: ReactNode;
  /** Where the list is read a page at a time. */
  readonly pages?: {
    readonly limit: number;
    readonly offset: number;
    readonly total: (data: T) => number;
    readonly onTurn: (offset: number) => void;
  };
}

/** The records that a query brought, in a card of their own. */
export function RecordList<T, R extends { readonly id: string }>(props: Props<T, R>) {
  const { label, titled = false, actions, query, records, columns, empty, pages } = props;
  // A later page that was emptied still leads back to the one before it.
  const isEmpty = (data: T) => empty !== undefined && records(data).length === 0 && (pages?.offset ?? 0) === 0;
  return (
    <Card {...(titled ? { title: label } : {})} actions={actions}>
      <Loaded query={query} empty={{ when: isEmpty, show: empty }}>
        {(data) => (
          <>
            <Records label={label} records={records(data)} columns={columns} />
            {pages === undefined ? null : <Pager {...pages} total={pages.total(data)} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}
