import type { Csv, PagedCsv } from '@webkiln/contract';

type Cell = string | number | null;

/** Spreadsheets run text that starts like this as a formula (CSV injection). */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function formatCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** CSV text by RFC 4180. */
export const csvText = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('');

/** One reply as CSV, with its header row. */
export function csvDocument(csv: Csv | PagedCsv, reply: object): string {
  const extraColumns = 'extraColumns' in csv ? csv.extraColumns(reply) : [];
  return csvText([[...csv.columns, ...extraColumns], ...csv.rows(reply, extraColumns)]);
}

/** Content type (RFC 4180, RFC 7111) and the file name under which browsers save the export. */
export const csvHeaders = ({ filename }: Csv): string[] => [
  'Content-Type',
  'text/csv; charset=utf-8; header=present',
  'Content-Disposition',
  `attachment; filename="${filename}"`,
];

/** True if the Accept header (RFC 9110 §12.5.1) names text/csv and weights it above JSON. */
export const prefersCsv = (accept: string | undefined): boolean =>
  accept !== undefined && qualityOf(accept, 'text/csv') > qualityOf(accept, 'application/json');

/** True if the request asks for everything as CSV, and not for one page. */
export const wantsWholeCsv = (
  { limit, offset, cursor }: Readonly<Record<string, string | undefined>>,
  accept: string | undefined,
): boolean => [limit, offset, cursor].every((value) => value === undefined) && prefersCsv(accept);

function qualityOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((range) =>
    range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  const named = ranges.find(([name]) => name === type);
  if (named === undefined) return 0;
  const quality = named.find((parameter) => parameter.startsWith('q='));
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
}
