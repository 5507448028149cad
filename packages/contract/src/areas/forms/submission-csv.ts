import { nextByCursor, overflowColumn, type PagedCsv } from '../../http/operation.ts';

/** The fields of a submission that the table shows, as the RPC replies. */
interface Sent {
  readonly id: string;
  readonly form: string;
  readonly page: string;
  readonly submitted_at: string;
  readonly fields: readonly { name: string; values: readonly string[] }[];
}
interface Reply {
  readonly submissions: readonly Sent[];
  readonly next_cursor: string;
}
function row({ id, form, page, submitted_at, fields }: Sent, extraColumns: readonly string[]): (string | null)[] {
  const cells = new Map(fields.map(({ name, values }) => [name, values.join('\n')]));
  if (extraColumns.includes(overflowColumn)) {
    const others = [...cells].filter(([name]) => !extraColumns.includes(name)).map(([name, text]) => `${name}: ${text}`);
    if (others.length > 0) cells.set(overflowColumn, others.join('\n'));
  }
  return [id, form, page, submitted_at, ...extraColumns.map((name) => cells.get(name) ?? null)];
}

/**
 * A row per submission and a column per field that any of them has; several values of a field are lines of one cell.
 */
export const submissionCsv = {
  filename: 'submissions.csv',
  columns: ['id', 'form', 'page', 'submitted_at'],
  extraColumns: ({ submissions }: Reply) => [...new Set(submissions.flatMap(({ fields }) => fields.map(({ name }) => name)))],
  rows: ({ submissions }: Reply, extraColumns) => submissions.map((submission) => row(submission, extraColumns)),
  next: nextByCursor<Reply>(({ submissions }) => submissions.length),
} satisfies PagedCsv;
