import { handle } from '@webkiln/rpc';
import { assertMatches, removeChange, saveWithRetry } from '@webkiln/store';
import { submissionDeleted } from './submission.ts';
import { existingSubmission, SubmissionModel } from './submission-store.ts';

export const deleteSubmission = handle('forms.DeleteSubmission', ({ project_id, submission_id }, caller) =>
  saveWithRetry(caller, async () => {
    const submission = await existingSubmission(caller, project_id, submission_id);
    assertMatches(caller, submission);
    await removeChange(SubmissionModel, caller, submission, [submissionDeleted(submission)]);
    return { deleted: true, id: submission_id };
  }),
);
