import { createProjection, type Form, NamedValues, type Project, type StateOf, Submission } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';

/** Visitors choose the names of a form's fields, so names are stored and sent as values, never as keys. */
const StoredSubmission = Submission.extend({ fields: NamedValues.array() });

/** A stored form submission. `submitted_at` is ISO 8601 in UTC. */
export interface SubmissionState extends StateOf<typeof StoredSubmission> {
  org_id: string;
  project_id: string;
  /** The owner of the project. */
  user_id: string;
  /** What the form says that its mail is about. */
  subject?: string;
  /** `form.submitted` was raised. It is raised once, however often the spam mark changes. */
  raised: boolean;
  /** When the database deletes it; null for never. */
  expire_at: Date | null;
}

type SubmissionDraft = Omit<SubmissionState, 'user_id' | 'raised' | 'submitted_at' | 'expire_at'>;

const spamRetentionMs = 30 * 24 * 3600_000;

/** A new submission. Raises `form.submitted` unless it is spam. */
export function openSubmission(draft: SubmissionDraft, project: Project, now: Date): Change<SubmissionState> {
  const expire_at = draft.spam ? new Date(now.getTime() + spamRetentionMs) : null;
  const state = { ...draft, user_id: project.user_id, raised: !draft.spam, submitted_at: now.toISOString(), expire_at };
  return new Change(state, draft.spam ? [] : [submitted(state, project)]);
}

/** The change that marks a submission as spam or not; null if it is marked so already. */
export function markSpam(current: SubmissionState, spam: boolean, project: Project, now: Date): Change<Partial<SubmissionState>> | null {
  if (current.spam === spam) return null;
  if (spam) return new Change({ spam, expire_at: new Date(now.getTime() + spamRetentionMs) }, []);
  return new Change({ spam, expire_at: null, raised: true }, current.raised ? [] : [submitted(current, project)]);
}

export const submissionDeleted = ({ _id }: Pick<SubmissionState, '_id'>): RaisedEvent => ({
  type: 'internal.submission.deleted',
  data: { submission_id: _id },
});

/** The record as sent over gRPC. */
export const toSubmission = createProjection(StoredSubmission);

const submitted = ({ _id, form, page, fields, submitted_at, subject }: SubmissionState, project: Project): RaisedEvent => ({
  type: 'form.submitted',
  data: { form: { id: _id, name: form, page, fields: toRecord(fields), submitted_at, ...(subject && { subject }) }, project },
});

/** `fromEntries` defines own properties, so a field named "__proto__" is safe. */
const toRecord = (fields: readonly NamedValues[]): Submission['fields'] =>
  Object.fromEntries(fields.map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]));

type Tally = { readonly values: Pick<SubmissionState, 'form' | 'spam'>; readonly count: number; readonly last: string };

/** Sums up tallies by form. Keeps their order, which is the most recent submission first. */
export function summarizeForms(tallies: readonly Tally[]): Form[] {
  const forms = new Map<string, Form>();
  for (const { values, count, last } of tallies) {
    const form = forms.get(values.form) ?? { name: values.form, submissions: 0, spam: 0, last_submitted_at: last };
    form[values.spam ? 'spam' : 'submissions'] += count;
    forms.set(values.form, form);
  }
  return [...forms.values()];
}
