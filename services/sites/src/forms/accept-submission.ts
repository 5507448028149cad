import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, type Project } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/rpc';
import { insertChange, type Scope } from '@webkiln/store';
import type { FormControls, FormField } from './form-fields.ts';
import { FormRefusal } from './form-refusal.ts';
import { projectFor } from './project-for.ts';
import { takeFromQuota } from './quota-store.ts';
import { submissionIdFor } from './repeat-store.ts';
import { looksLikeSpam } from './spam.ts';
import { openSubmission } from './submission.ts';
import { SubmissionModel, submissionById } from './submission-store.ts';
import type { VisitorName } from './visitor.ts';

const askTimeoutMs = 2000;
const firstTakesMs = 2000;
const lookAgainMs = 50;
const minuteMs = 60_000;
const hourMs = 3600_000;
/** What one address may send to one site before more of it is taken for spam. */
const visitorQuotas = [
  { most: 5, windowMs: minuteMs },
  { most: 60, windowMs: hourMs },
];

/** What a visitor sent, where. */
export interface Sent {
  readonly org_id: string;
  readonly project_id: string;
  readonly form: string;
  readonly page: string;
  readonly fields: FormField[];
  readonly controls: FormControls;
  /** Of the visitor. */
  readonly address: string;
}

export interface AcceptParts {
  readonly visitorName: VisitorName;
  /** How many submissions a site may get in an hour, spam and others each. */
  readonly perSiteHour: number;
  readonly now?: () => Date;
}

/**
 * Keeps what a visitor sent, and returns when it is on disk at a majority; spam is kept apart, and nobody who sends it can tell. Equal
 * submissions of a moment are one. Throws a `FormRefusal`, or an `AppError` where a part of the platform is away: then nothing is kept.
 */
export async function acceptSubmission({ visitorName, perSiteHour, now = () => new Date() }: AcceptParts, sent: Sent): Promise<void> {
  const { org_id, project_id, form, page, fields, controls, address } = sent;
  const project = await liveProject(org_id, project_id);
  const scope = { org_id };
  const at = now();
  const visitor = visitorName(project_id, address);
  const { id, repeated } = await submissionIdFor(scope, hash('sha256', JSON.stringify([project_id, form, fields, visitor])), at);
  if (repeated && (await isKeptMeanwhile(scope, id))) return;
  const spam = (await sendsTooMuch(scope, visitor, at)) || looksLikeSpam(fields, controls);
  const quota = { of: `${project_id} ${spam ? 'spam' : 'kept'}`, most: perSiteHour, windowMs: hourMs };
  if (!(await takeFromQuota(scope, quota, at))) throw new FormRefusal('too_many_submissions');
  await insertChange(SubmissionModel, scope, openSubmission({ _id: id, org_id, project_id, form, page, fields, spam }, project, at));
}

/** Whether the first of equal submissions, which may be under way, is kept; it is waited for a little, since its process may have died. */
async function isKeptMeanwhile(scope: Scope, id: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < firstTakesMs; waitedMs += lookAgainMs) {
    if ((await submissionById(scope, id)) !== null) return true;
    await pause(lookAgainMs);
  }
  return false;
}

async function sendsTooMuch(scope: Scope, visitor: string, at: Date): Promise<boolean> {
  const taken = await Promise.all(visitorQuotas.map((quota) => takeFromQuota(scope, { of: visitor, ...quota }, at)));
  return taken.includes(false);
}

/** The project as the REST API shows it; refuses where it has gone meanwhile. */
async function liveProject(org_id: string, project_id: string): Promise<Project> {
  try {
    return await projectFor(callerFor(servicePrincipal('sites', org_id), { timeoutMs: askTimeoutMs }), project_id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'project_not_found') throw new FormRefusal('not_here', { cause: error });
    throw error;
  }
}
