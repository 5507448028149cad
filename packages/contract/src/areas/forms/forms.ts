import * as z from 'zod';
import { Flag, filter, moment, Page, Timestamp, Total, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';
import { wire } from '../../wire/wire.ts';
import { submissionCsv } from './submission-csv.ts';

/**
 * A field of a form. It has several values if its name was sent several times, as checkboxes do. JSON has one value
 * as a string, several as a list; here they are always a list.
 */
export const NamedValues = z.object({ name: z.string(), values: z.array(z.string()) }).register(wire, { message: 'NamedValues' });
export type NamedValues = z.infer<typeof NamedValues>;

/** The values that a visitor filled in, by the names of the form's fields; a repeated name has a list. */
export const FormFields = z.record(z.string(), z.union([z.string(), z.array(z.string())])).register(wire, { as: z.array(NamedValues) });
export type FormFields = z.infer<typeof FormFields>;

export const Form = z
  .object({
    name: z.string().describe('As in /_forms/<name>'),
    submissions: z.int().describe('Without spam'),
    spam: z.int(),
    last_submitted_at: Timestamp,
  })
  .meta({ id: 'Form', description: 'What came in by a form of a published site' });
export type Form = z.infer<typeof Form>;

export const Submission = z
  .object({
    id: Uuid,
    form: z.string().describe('The name of the form'),
    page: z.string().describe('The path of the page that it was sent from'),
    fields: FormFields,
    spam: z.boolean(),
    submitted_at: Timestamp,
  })
  .meta({ id: 'Submission', description: 'What a visitor sent by a form' });
export type Submission = z.infer<typeof Submission>;

const { id, page, fields, submitted_at } = Submission.shape;
/** A submission as `form.submitted` carries it; `name` is the form's. */
export const SubmittedForm = z.object({
  id,
  name: z.string(),
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
  output: z.object({ forms: z.array(Form), total: Total }),
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
    form: text.describe('Only of this form'),
    spam: filter('true', 'false').describe('true: what was taken for spam. Default false: what was not'),
    after: moment().describe('From this moment on, ISO 8601'),
    before: moment().describe('Before this moment, ISO 8601'),
  }),
  output: z.object({ submissions: z.array(Submission), total: Total }),
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
  input: z.strictObject({ spam: Flag }).partial(),
  output: z.object({ submission: Submission }),
  success: 200,
  errors: ['submission_not_found', 'project_not_found'],
});

export const deleteSubmission = defineOperation({
  method: 'DELETE',
  path: '/projects/{projectId}/forms/submissions/{submissionId}',
  tag,
  summary: 'Delete a submission for good',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.DeleteSubmission',
  output: z.object({ deleted: z.boolean(), id: Uuid }),
  success: 200,
  errors: ['submission_not_found'],
});
