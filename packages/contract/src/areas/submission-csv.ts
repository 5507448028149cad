import { overflowColumn, type PagedCsv } from '../http/operation.ts';

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
}
interface Request {
  readonly limit: number;
  readonly offset: number;
  readonly before?: string;
}

function row({ id, form, page, submitted_at, fields }: Sent, extraColumns: readonly string[]): (string | null)[] {
  const cells = new Map(fields.map(({ name, values }) => [name, values.join('\n')]));
  if (extraColumns.includes(overflowColumn)) {
    const others = [...cells].filter(([name]) => !extraColumns.includes(name)).map(([name, text]) => `${name}: ${text}`);
    if (others.length > 0) cells.set(overflowColumn, others.join('\n'));
  }
  return [id, form, page, submitted_at, ...extraColumns.map((name) => cells.get(name) ?? null)];
}

/** Pages by time, not by offset alone, so that submissions that arrive meanwhile do not shift the pages. */
function next({ limit, offset, before, ...filters }: Request, { submissions }: Reply): object | undefined {
  const last = submissions.at(-1)?.submitted_at;
  if (last === undefined || submissions.length < limit) return undefined;
  const until = new Date(Date.parse(last) + 1).toISOString();
  const seen = submissions.filter(({ submitted_at }) => submitted_at === last).length;
  return { ...filters, limit, before: until, offset: until === before ? offset + seen : seen };
}

/**
 * A row per submission and a column per field that any of them has; several values of a field are lines of one cell.
 */
export const submissionCsv = {
  filename: 'submissions.csv',
  columns: ['id', 'form', 'page', 'submitted_at'],
  extraColumns: ({ submissions }: Reply) => [...new Set(submissions.flatMap(({ fields }) => fields.map(({ name }) => name)))],
  rows: ({ submissions }: Reply, extraColumns) => submissions.map((submission) => row(submission, extraColumns)),
  next,
} satisfies PagedCsv;
