import { AppError, wholeListCap } from '@webkiln/contract';
import { defineModel, gatheredById, gatheredPage, gatheredTally, type Scope, type Stored, scoped } from '@webkiln/store';
import type { SubmissionState } from './submission.ts';

export type SubmissionRecord = Stored<SubmissionState>;

/** Each list (a project's, a form's) is read off an index in its order; forms are counted in the second one, without a record. */
export const SubmissionModel = defineModel<SubmissionState>(
  'submissions',
  {
    project_id: { type: String, required: true },
    user_id: { type: String, required: true },
    form: { type: String, required: true },
    page: { type: String, required: true },
    fields: { type: [{ _id: false, name: String, values: [String] }], required: true },
    spam: { type: Boolean, required: true },
    raised: { type: Boolean, required: true },
    submitted_at: { type: String, required: true },
    expire_at: { type: Date, default: null },
  },
  {
    ownedBy: 'user_id',
    indexes: [
      [{ org_id: 1, project_id: 1, spam: 1, submitted_at: -1, _id: 1, user_id: 1 }],
      [{ org_id: 1, project_id: 1, form: 1, spam: 1, submitted_at: -1, _id: 1, user_id: 1 }],
    ],
    indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { expire_at: { $type: 'date' } } }]],
  },
);

const byId = gatheredById(SubmissionModel);

/** Null when the organization has none with this id. */
export const submissionById = (scope: Scope, id: string): Promise<SubmissionRecord | null> => byId(scope, id);

/** Throws `submission_not_found` when the project has none with this id. */
export async function existingSubmission(scope: Scope, projectId: string, id: string): Promise<SubmissionRecord> {
  const submission = await byId(scope, id);
  if (submission?.project_id !== projectId) throw new AppError('submission_not_found');
  return submission;
}

/** One page, newest first, and how many match in all. */
export const submissionPage = gatheredPage(SubmissionModel, {
  fields: ['form', 'page', 'fields', 'spam', 'submitted_at'],
  sort: { submitted_at: -1, _id: 1 },
});

/** How many came by which form, spam apart; a form has two rows. */
export const submissionTally = gatheredTally(SubmissionModel, { by: ['form', 'spam'], last: 'submitted_at', limit: 2 * wholeListCap });

export const dropSubmissions = (scope: Scope, project_id: string) => scoped(SubmissionModel, scope).deleteMany({ project_id });
