import { type LongCsv, otherColumns } from './endpoint.ts';
import type { Submission } from './forms.ts';

/** A submission as the RPC replies. */
type Sent = Omit<Submission, 'fields' | 'spam'> & { fields: readonly { name: string; values: readonly string[] }[] };
interface Reply {
  readonly submissions: readonly Sent[];
}
interface Request {
  readonly limit: number;
  readonly offset: number;
  readonly before?: string;
}

function row({ id, form, page, submitted_at, fields }: Sent, further: readonly string[]): (string | null)[] {
  const cells = new Map(fields.map(({ name, values }) => [name, values.join('\n')]));
  if (further.includes(otherColumns)) {
    const others = [...cells].filter(([name]) => !further.includes(name)).map(([name, text]) => `${name}: ${text}`);
    if (others.length > 0) cells.set(otherColumns, others.join('\n'));
  }
  return [id, form, page, submitted_at, ...further.map((name) => cells.get(name) ?? null)];
}

/** A page goes on at the moment where the one before ended, so that what comes in meanwhile moves nothing. */
function next({ limit, offset, before, ...filters }: Request, { submissions }: Reply): object | undefined {
  const last = submissions.at(-1)?.submitted_at;
  if (last === undefined || submissions.length < limit) return undefined;
  const until = new Date(Date.parse(last) + 1).toISOString();
  const seen = submissions.filter(({ submitted_at }) => submitted_at === last).length;
  return { ...filters, limit, before: until, offset: until === before ? offset + seen : seen };
}

/** A row for each submission, a column for each field that one of them has; several values of a field are lines of its cell. */
export const submissionTable = {
  filename: 'submissions.csv',
  columns: ['id', 'form', 'page', 'submitted_at'],
  further: ({ submissions }: Reply) => [...new Set(submissions.flatMap(({ fields }) => fields.map(({ name }) => name)))],
  rows: ({ submissions }: Reply, further) => submissions.map((submission) => row(submission, further)),
  next,
} satisfies LongCsv;
