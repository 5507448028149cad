import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, removeChange, saveChange, saveWithRetry } from '@webkiln/store';
import { fitsAnEvent } from '../intake/form-fields.ts';
import { projectFor } from '../project-for.ts';
import { markSpam, submissionDeleted, toSubmission } from './submission.ts';
import { existingSubmission, SubmissionModel } from './submission-store.ts';

const tooLarge = new AppError('validation_failed', [
  { path: 'spam', message: 'must stay true: submissions of more than 40 KB of text are no longer sent on' },
]);

export const updateSubmission = handle('forms.UpdateSubmission', async (request, caller) => {
  const { spam } = maskedFields<{ spam: boolean }>(request);
  return saveWithRetry(caller, async () => {
    const current = await existingSubmission(caller, request.project_id, request.submission_id);
    assertMatches(caller, current);
    if (spam === false && current.spam && !fitsAnEvent(current.fields)) throw tooLarge;
    const project = await projectFor(caller, request.project_id);
    const change = spam === undefined ? null : markSpam(current, spam, project, new Date());
    const submission = change === null ? current : await saveChange(SubmissionModel, caller, current, change);
    return { submission: toSubmission(submission), etag: etagOf(submission) };
  });
});

export const deleteSubmission = handle('forms.DeleteSubmission', ({ project_id, submission_id }, caller) =>
  saveWithRetry(caller, async () => {
    const submission = await existingSubmission(caller, project_id, submission_id);
    assertMatches(caller, submission);
    await removeChange(SubmissionModel, caller, submission, [submissionDeleted(submission)]);
    return { deleted: true, id: submission_id };
  }),
);
