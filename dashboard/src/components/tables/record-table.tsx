import type { ReactNode } from 'react';

export interface Column<T> {
  readonly name: string;
  readonly cell: (record: T) => ReactNode;
  /** Hidden on narrow screens. */
  readonly wide?: boolean;
  readonly end?: boolean;
  /** Shows the heading only to screen readers. */
  readonly unnamed?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly records: readonly T[];
  readonly columns: readonly Column<T>[];
}

const alignment = ({ wide, end }: { wide?: boolean; end?: boolean }) => `${wide ? 'wide' : ''} ${end ? 'end' : ''}`.trim() || undefined;

export function RecordTable<T extends { readonly id: string }>({ label, records, columns }: Props<T>) {
  return (
    <div className="records-frame">
      <table className="records" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={alignment(column)}>
                {column.unnamed ? <span className="visually-hidden">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              {columns.map((column) => (
                <td key={column.name} className={alignment(column)}>
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
