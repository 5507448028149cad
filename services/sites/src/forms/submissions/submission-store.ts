import { AppError, type Project, Submission, wholeListCap } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import {
  batchedById,
  coalescedPage,
  coalescedTally,
  defineModel,
  definitionOf,
  fieldsOf,
  insertChange,
  newId,
  type Scope,
  type Stored,
  scoped,
  type Tenant,
  where,
} from '@webkiln/store';
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
    subject: { type: String },
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

const maxCounted = 1_000_000;

const byId = batchedById(SubmissionModel);

/** Null if the organization has no submission with this id. */
export const submissionById = (scope: Scope, id: string): Promise<SubmissionRecord | null> => byId(scope, id);

/** Throws `submission_not_found` if the project has no submission with this id. */
export async function existingSubmission(scope: Scope, projectId: string, id: string): Promise<SubmissionRecord> {
  const submission = await byId(scope, id);
  if (submission?.project_id !== projectId) throw new AppError('submission_not_found');
  return submission;
}

/** Gives the submissions of a project to the user who owns it. */
export const moveSubmissions = async (tenant: Tenant, project_id: string, user_id: string): Promise<void> =>
  void (await scoped(SubmissionModel, tenant).updateMany({ project_id, user_id: where({ $ne: user_id }) }, { $set: { user_id } }));

/** One page, newest first, and the total number of matches. */
export const submissionPage = coalescedPage(SubmissionModel, { fields: fieldsOf(Submission), sort: { submitted_at: -1, _id: 1 } });

/** How many submissions a project got in a month such as `2026-10`, spam apart. Counting ends at a million. */
export const countReceived = (scope: Tenant, project_id: string, month: string): Promise<number> =>
  scoped(SubmissionModel, scope).count(
    { project_id, spam: false, submitted_at: where({ $gte: `${month}-01`, $lt: `${month}-32` }) },
    maxCounted,
  );

/** Counts by form and spam mark, so a form has up to two rows. */
export const submissionTally = coalescedTally(SubmissionModel, { by: ['form', 'spam'], last: 'submitted_at', limit: 2 * wholeListCap });

/** An export changes no record: this one holds its audit entry until it is published, and then expires. */
const ExportModel = defineModel<{ expires_at: Date }>(
  'exports',
  { expires_at: { type: Date, required: true } },
  { exportedAs: null, raisesEvents: true, indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Audits that the caller exports a project's submissions. A call that is repeated is audited again. */
export async function recordExport(caller: Caller, { id, name }: Pick<Project, 'id' | 'name'>): Promise<void> {
  const audited = auditEvent(caller, 'submissions.exported', { kind: 'project', id, name });
  await insertChange(ExportModel, caller, new Change({ _id: newId(undefined), expires_at: new Date() }, [audited]));
}
