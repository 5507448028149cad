import { handle, maskedFields } from '@webkiln/rpc';
import { assertMatches, etagOf, saveChange, saveWithRetry } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { markSpam, toSubmission } from './submission.ts';
import { existingSubmission, SubmissionModel } from './submission-store.ts';

export const updateSubmission = handle('forms.UpdateSubmission', async (request, caller) => {
  const { spam } = maskedFields<{ spam: boolean }>(request);
  return saveWithRetry(caller, async () => {
    const current = await existingSubmission(caller, request.project_id, request.submission_id);
    assertMatches(caller, current);
    const project = await projectFor(caller, request.project_id);
    const change = spam === undefined ? null : markSpam(current, spam, project, new Date());
    const submission = change === null ? current : await saveChange(SubmissionModel, caller, current, change);
    return { submission: toSubmission(submission), etag: etagOf(submission) };
  });
});
