import type { Csv, LongCsv } from '@webkiln/contract';

type Cell = string | number | null;

/** Text that a spreadsheet would take for a formula, and run. */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function shown(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as RFC 4180 writes them. */
export const csvText = (rows: readonly (readonly Cell[])[]): string => rows.map((row) => `${row.map(shown).join(',')}\r\n`).join('');

/** One answer as a table, its header first. */
export function tableText(csv: Csv | LongCsv, reply: object): string {
  const further = 'further' in csv ? csv.further(reply) : [];
  return csvText([[...csv.columns, ...further], ...csv.rows(reply, further)]);
}

/** What goes with a table: its type (RFC 7111 and 4180), and the name under which browsers save it. */
export const csvHeaders = ({ filename }: Csv): string[] => [
  'Content-Type',
  'text/csv; charset=utf-8; header=present',
  'Content-Disposition',
  `attachment; filename="${filename}"`,
];

/** True where the Accept header (RFC 9110 §12.5.1) names text/csv, and likes it better than JSON. */
export const wantsCsv = (accept: string | undefined): boolean =>
  accept !== undefined && weightOf(accept, 'text/csv') > weightOf(accept, 'application/json');

function weightOf(accept: string, type: string): number {
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
