import { type Plan, ratioOf } from './plans.ts';

/** A kind of request at one size. */
export interface Row {
  readonly name: string;
  readonly size: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of all processes for one request. */
  readonly cpuMicros: number;
}

export interface Stored {
  readonly collection: string;
  readonly records: number;
  readonly dataMb: number;
  /** Compressed, as it is on disk and in the file cache. */
  readonly storageMb: number;
  readonly indexMb: number;
}

const lines = (header: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** One line per kind of request, with its figures at each size. */
export function rowTable(rows: readonly Row[]): string {
  const sizes = [...new Set(rows.map(({ size }) => size))];
  const header = ['request', ...['p50 ms', 'p99 ms', 'CPU µs'].flatMap((figure) => sizes.map((size) => `${figure} at ${size}`))];
  const byName = Map.groupBy(rows, ({ name }) => name);
  return lines(
    header,
    [...byName].map(([name, found]) => [
      name,
      ...found.map(({ p50Ms }) => p50Ms.toFixed(1)),
      ...found.map(({ p99Ms }) => p99Ms.toFixed(1)),
      ...found.map(({ cpuMicros }) => cpuMicros.toFixed(0)),
    ]),
  );
}

export const sizeTable = (stored: readonly Stored[]): string =>
  lines(
    ['collection', 'records', 'MB per million records: data', 'on disk', 'indexes'],
    stored.map(({ collection, records, ...bytes }) => [
      collection,
      records,
      ...[bytes.dataMb, bytes.storageMb, bytes.indexMb].map((size) => ((size * 1e6) / records).toFixed(0)),
    ]),
  );

export const planTable = (plans: readonly Plan[]): string =>
  lines(
    ['query', 'plan', 'shard key', 'queries', 'keys', 'documents', 'returned', 'examined ÷ returned'],
    plans.map((plan) => {
      const { shape, index, key, queries, keys, documents, returned } = plan;
      return [shape, index, key, queries, keys, documents, returned, ratioOf(plan).toFixed(1)];
    }),
  );
