import { AppError, Submission, wholeListCap } from '@webkiln/contract';
import { batchedById, coalescedPage, coalescedTally, defineModel, definitionOf, fieldsOf, type Scope, type Stored } from '@webkiln/store';
import type { SubmissionState } from './submission.ts';

export type SubmissionRecord = Stored<SubmissionState>;

/** Both lists (of a project, of a form) are read in index order. Forms are counted from the second index alone. */
export const SubmissionModel = defineModel<SubmissionState>(
  'submissions',
  {
    ...definitionOf(Submission.omit({ fields: true })),
    project_id: { type: String, required: true },
    user_id: { type: String, required: true },
    fields: { type: [{ _id: false, name: String, values: [String] }], required: true },
    raised: { type: Boolean, required: true },
    expire_at: { type: Date, default: null },
  },
  {
    ofProject: 'project_id',
    exportedAs: 'form-submissions',
    raisesEvents: true,
    ownedBy: 'user_id',
    indexes: [
      [{ org_id: 1, project_id: 1, spam: 1, submitted_at: -1, _id: 1, user_id: 1 }],
      [{ org_id: 1, project_id: 1, form: 1, spam: 1, submitted_at: -1, _id: 1, user_id: 1 }],
    ],
    indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { expire_at: { $type: 'date' } } }]],
  },
);

const byId = batchedById(SubmissionModel);

/** Null if the organization has no submission with this id. */
export const submissionById = (scope: Scope, id: string): Promise<SubmissionRecord | null> => byId(scope, id);

/** Throws `submission_not_found` if the project has no submission with this id. */
export async function existingSubmission(scope: Scope, projectId: string, id: string): Promise<SubmissionRecord> {
  const submission = await byId(scope, id);
  if (submission?.project_id !== projectId) throw new AppError('submission_not_found');
  return submission;
}

/** One page, newest first, and the total number of matches. */
export const submissionPage = coalescedPage(SubmissionModel, { fields: fieldsOf(Submission), sort: { submitted_at: -1, _id: 1 } });

/** Counts by form and spam mark, so a form has up to two rows. */
export const submissionTally = coalescedTally(SubmissionModel, { by: ['form', 'spam'], last: 'submitted_at', limit: 2 * wholeListCap });
