import * as z from 'zod';
import { Deleted, Flag, filter, moment, Page, RecordId, Timestamp, Total } from '../../fields/fields.ts';
import { defineOperation, nextByCursor, overflowColumn, type PagedCsv } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { wire } from '../../wire/wire.ts';

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
const submissionCsv = {
  filename: 'submissions.csv',
  columns: ['id', 'form', 'page', 'submitted_at'],
  extraColumns: ({ submissions }: Reply) => [...new Set(submissions.flatMap(({ fields }) => fields.map(({ name }) => name)))],
  rows: ({ submissions }: Reply, extraColumns) => submissions.map((submission) => row(submission, extraColumns)),
  next: nextByCursor<Reply>(({ submissions }) => submissions.length),
} satisfies PagedCsv;

/**
 * A field of a form. It has several values if its name was sent several times, as checkboxes do. JSON has one value
 * as a string, several as a list; here they are always a list.
 */
export const NamedValues = z
  .object({ name: z.string().describe('The name of the field'), values: z.array(z.string()).describe('Its values') })
  .register(wire, { message: 'NamedValues' });
export type NamedValues = z.infer<typeof NamedValues>;

/** The values that a visitor filled in, by the names of the form's fields; a repeated name has a list. */
export const FormFields = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .register(wire, { as: z.array(NamedValues) })
  .describe(
    "What the visitor filled in, by the names of the form's fields: a text, or a list of texts where a name was sent several times",
  );
export type FormFields = z.infer<typeof FormFields>;

export const Form = z
  .object({
    name: z.string().describe('As in the address that it posts to: `/_forms/<name>`'),
    submissions: z.int().describe('How many came in, without spam'),
    spam: z.int().describe('How many were taken for spam'),
    last_submitted_at: Timestamp.describe('When the last one came in, ISO 8601 in UTC'),
  })
  .meta({ id: 'Form', description: 'What came in by a form of a published site' });
export type Form = z.infer<typeof Form>;

export const Submission = z
  .object({
    id: RecordId,
    form: z.string().describe('The name of the form'),
    page: z.string().describe('The path of the page that it was sent from'),
    fields: FormFields,
    spam: z.boolean().describe('True if it was taken for spam: then nobody was mailed, and no event was raised'),
    submitted_at: Timestamp.describe('When the visitor sent it, ISO 8601 in UTC'),
  })
  .meta({ id: 'Submission', description: 'What a visitor sent by a form' });
export type Submission = z.infer<typeof Submission>;

const { id, page, fields, submitted_at } = Submission.shape;
/** A submission as `form.submitted` carries it; `name` is the form's. */
export const SubmittedForm = z.object({
  id,
  name: z.string().describe('The name of the form, as in `/_forms/<name>`'),
  page,
  fields,
  submitted_at,
  subject: z.string().optional().describe('What the form says that its mail is about, in a field `_subject`'),
});
export type SubmittedForm = z.infer<typeof SubmittedForm>;

const tag = 'Forms';
const text = z.string().optional();

export const listForms = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/forms',
  tag,
  summary: 'List the forms that visitors have sent, the latest first',
  description: 'At most 1,000. A form is there from its first submission on: any form of a published site that posts to `/_forms/<name>`.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'forms.ListForms',
  output: z.object({
    forms: z.array(Form).describe('The forms, the one with the latest submission first; empty if there are none'),
    total: Total,
  }),
  success: 200,
  errors: ['project_not_found'],
});

export const listSubmissions = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/forms/submissions',
  tag,
  summary: 'List what visitors have sent, newest first',
  description:
    'As `text/csv` the answer has a row for each submission and a column for each field: all of them, page after page, where neither `limit` nor `offset` is named.',
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'forms.ListSubmissions',
  input: z.object({
    ...Page,
    form: text.describe('Only submissions of the form with this name'),
    spam: filter('true', 'false').describe('true: what was taken for spam. Default false: what was not'),
    after: moment().describe('From this moment on, ISO 8601'),
    before: moment().describe('Before this moment, ISO 8601'),
  }),
  output: z.object({
    submissions: z.array(Submission).describe('The submissions of this page, newest first; empty if none matches'),
    total: Total,
  }),
  csv: submissionCsv,
  success: 200,
  errors: ['project_not_found'],
});

export const updateSubmission = defineOperation({
  method: 'PATCH',
  path: '/projects/{projectId}/forms/submissions/{submissionId}',
  tag,
  summary: 'Say whether a submission is spam',
  description: 'One that was taken for spam and is none raises `form.submitted` now, once.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.UpdateSubmission',
  input: z.strictObject({ spam: Flag.describe('True: it is spam; false: it is not') }).partial(),
  output: z.object({ submission: Submission }),
  success: 200,
  errors: ['submission_not_found', 'project_not_found'],
});

export const deleteSubmission = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}/forms/submissions/{submissionId}',
  tag,
  summary: 'Delete a submission for good',
  description: 'Use it to erase what a visitor asks to be erased. Mails and webhooks that told of it are not taken back.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.DeleteSubmission',
  output: Deleted,
  success: 200,
  errors: ['submission_not_found'],
});
