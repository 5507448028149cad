import type { PagedCsv } from '../http/operation.ts';

const columns = [
  'id',
  'client_id',
  'plan_id',
  'amount',
  'currency',
  'status',
  'provider',
  'period_start',
  'period_end',
  'paid_at',
  'created_at',
];

interface Reply {
  readonly orders: readonly Readonly<Record<string, string | number | null>>[];
  readonly next_cursor: string;
}
interface Request {
  readonly offset: number;
}

/** A row per order; orders that are opened meanwhile do not shift the pages. */
export const orderCsv = {
  filename: 'orders.csv',
  columns,
  extraColumns: () => [],
  rows: ({ orders }: Reply) => orders.map((order) => columns.map((name) => order[name] ?? null)),
  next: ({ offset, ...request }: Request, { orders, next_cursor }: Reply) =>
    next_cursor === '' ? undefined : { ...request, offset: offset + orders.length, cursor: next_cursor },
} satisfies PagedCsv;
