import { momentOf, wholeListCap } from '@webkiln/contract';
import { handle, type IncomingRequest } from '@webkiln/rpc';
import { between, type Filter } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { summarizeForms, toSubmission } from './submission.ts';
import { recordExport, type SubmissionRecord, submissionPage, submissionTally } from './submission-store.ts';

export const listSubmissions = handle('forms.ListSubmissions', async (request, caller) => {
  const project = await projectFor(caller, request.project_id);
  const filter = toFilter(request);
  if (filter === null) return { submissions: [], total: 0, next_cursor: '' };
  if (request.is_export) await recordExport(caller, project);
  const { records, total, next_cursor } = await submissionPage(caller, filter, request);
  return { submissions: records.map(toSubmission), total, next_cursor };
});

/** Null if no submission can match. */
function toFilter({
  project_id,
  form,
  spam = 'false',
  after,
  before,
}: IncomingRequest<'forms.ListSubmissions'>): Filter<SubmissionRecord> | null {
  const [from, to] = [momentOf(after), momentOf(before)];
  if ((spam !== 'true' && spam !== 'false') || from === null || to === null) return null;
  return {
    project_id,
    ...(form !== undefined && { form: form.toLowerCase() }),
    spam: spam === 'true',
    ...between('submitted_at', from?.toISOString(), to?.toISOString()),
  };
}

export const listForms = handle('forms.ListForms', async ({ project_id }, caller) => {
  await projectFor(caller, project_id);
  const forms = summarizeForms(await submissionTally(caller, { project_id })).slice(0, wholeListCap);
  return { forms, total: forms.length };
});
