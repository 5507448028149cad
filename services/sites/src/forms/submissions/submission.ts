import type { Change, Form, Project, RaisedEvent, Submission } from '@webkiln/contract';
import type { FormField } from './form-fields.ts';

/** What a visitor sent. `submitted_at` is ISO 8601 in UTC. */
export interface SubmissionState {
  _id: string;
  org_id: string;
  project_id: string;
  /** Whose the project is. */
  user_id: string;
  form: string;
  /** The path of the page that it was sent from. */
  page: string;
  /** Names are visitors', so they stand in values, never in names of ours. */
  fields: FormField[];
  spam: boolean;
  /** `form.submitted` was raised: it is so once, however often somebody changes his mind. */
  raised: boolean;
  submitted_at: string;
  /** When it goes by itself; null for what is to stay. */
  expire_at: Date | null;
}

export type SubmissionDraft = Omit<SubmissionState, 'user_id' | 'raised' | 'submitted_at' | 'expire_at'>;
type Shown = Omit<SubmissionState, 'org_id' | 'project_id' | 'user_id' | 'raised' | 'expire_at'>;

const spamKeptMs = 30 * 24 * 3600_000;

/** A new submission, told of unless it is spam. */
export function openSubmission(draft: SubmissionDraft, project: Project, now: Date): Change<SubmissionState> {
  const expire_at = draft.spam ? new Date(now.getTime() + spamKeptMs) : null;
  const state = { ...draft, user_id: project.user_id, raised: !draft.spam, submitted_at: now.toISOString(), expire_at };
  return { state, events: draft.spam ? [] : [submitted(state, project)] };
}

/** The change to spam or no spam; null where it is that already. */
export function judgeSubmission(
  current: SubmissionState,
  spam: boolean,
  project: Project,
  now: Date,
): Change<Partial<SubmissionState>> | null {
  if (current.spam === spam) return null;
  if (spam) return { state: { spam, expire_at: new Date(now.getTime() + spamKeptMs) }, events: [] };
  return { state: { spam, expire_at: null, raised: true }, events: current.raised ? [] : [submitted(current, project)] };
}

export const submissionDeleted = ({ _id }: Pick<SubmissionState, '_id'>): RaisedEvent => ({
  type: 'internal.submission.deleted',
  data: { submission_id: _id },
});

/** As the wire has it. */
export const toSubmission = ({ _id, form, page, fields, spam, submitted_at }: Shown) => ({
  id: _id,
  form,
  page,
  fields,
  spam,
  submitted_at,
});

const submitted = ({ _id, form, page, fields, submitted_at }: SubmissionState, project: Project): RaisedEvent => ({
  type: 'form.submitted',
  data: { form: { id: _id, name: form, page, fields: byName(fields), submitted_at }, project },
});

/** Any name is a field of its own, "__proto__" too. */
const byName = (fields: readonly FormField[]): Submission['fields'] =>
  Object.fromEntries(fields.map(({ name, values }) => [name, values.length === 1 ? (values[0] ?? '') : values]));

type Counted = { readonly values: Pick<SubmissionState, 'form' | 'spam'>; readonly count: number; readonly last: string };

/** A project's forms by what came in, those first that were sent last. */
export function formsOf(counted: readonly Counted[]): Form[] {
  const forms = new Map<string, Form>();
  for (const { values, count, last } of counted) {
    const form = forms.get(values.form) ?? { name: values.form, submissions: 0, spam: 0, last_submitted_at: last };
    form[values.spam ? 'spam' : 'submissions'] += count;
    forms.set(values.form, form);
  }
  return [...forms.values()];
}
