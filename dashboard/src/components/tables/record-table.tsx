import type { ReactNode } from 'react';

export interface Column<T> {
  readonly name: string;
  readonly cell: (record: T) => ReactNode;
  /** Left out where there is no room. */
  readonly wide?: boolean;
  readonly end?: boolean;
  /** The heading is for screen readers alone. */
  readonly unnamed?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly records: readonly T[];
  readonly columns: readonly Column<T>[];
}

const look = ({ wide, end }: { wide?: boolean; end?: boolean }) => `${wide ? 'wide' : ''} ${end ? 'end' : ''}`.trim() || undefined;

/** A table of records. */
export function Records<T extends { readonly id: string }>({ label, records, columns }: Props<T>) {
  return (
    <div className="records-frame">
      <table className="records" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={look(column)}>
                {column.unnamed ? <span className="visually-hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              {columns.map((column) => (
                <td key={column.name} className={look(column)}>
                  {column.cell(record)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
