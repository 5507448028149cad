import { createHmac, hash, hkdfSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, Email, type NamedValues, type Project } from '@webkiln/contract';
import { serviceCaller } from '@webkiln/messages';
import { Pace } from '@webkiln/runtime';
import { insertChange, type Scope } from '@webkiln/store';
import { projectFor } from '../project-for.ts';
import { openSubmission } from '../submissions/submission.ts';
import { SubmissionModel, submissionById } from '../submissions/submission-store.ts';
import type { FormControls } from './form-fields.ts';
import { FormRefusal } from './form-refusal.ts';
import { consumeDailyQuota, consumeQuota, isUsedUp } from './quota-store.ts';
import { isRepeat, submissionIdFor } from './repeat-store.ts';

const rpcTimeoutMs = 2000;
const firstCopyTimeoutMs = 2000;
const pollIntervalMs = 50;
const minuteMs = 60_000;
const hourMs = 3600_000;
/** The quotas of one address at one site. Submissions beyond them count as spam. */
const ofAddress = [
  { max: 5, windowMs: minuteMs },
  { max: 60, windowMs: hourMs },
];
/** Quotas of those who say who they are: a school, an office and a café have one address. */
const ofNamedSender = [{ max: 5, windowMs: minuteMs }];
const ofNamedSenders = [
  { max: 30, windowMs: minuteMs },
  { max: 300, windowMs: hourMs },
];

/** A form as a visitor sent it. */
export interface SentForm {
  readonly org_id: string;
  readonly project_id: string;
  /** The site is a client's who joined by a link. */
  readonly isOfJoined: boolean;
  readonly form: string;
  readonly page: string;
  readonly fields: NamedValues[];
  readonly controls: FormControls;
  /** The visitor's IP address. */
  readonly address: string;
}

/** Maps an address to a pseudonym per site: equal for equal addresses, and irreversible without the key. */
type Pseudonymizer = (site: string, address: string) => string;

/**
 * Pseudonyms are HMAC-SHA256 under a key derived (HKDF, RFC 5869) from a secret that all replicas share and no database
 * holds. Addresses themselves are never stored, and records under a pseudonym expire with their window.
 */
export function createPseudonymizer(secret: string): Pseudonymizer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'names of visitors who send forms', 32));
  return (site, address) => createHmac('sha256', key).update(`${site}\n${address}`).digest('base64url');
}

interface AcceptOptions {
  readonly pseudonymize: Pseudonymizer;
  /** Submissions that a site may receive per hour; spam has a quota of the same size. */
  readonly maxPerSiteHour: number;
  readonly now?: () => Date;
}

/**
 * Stores a submission and returns once a majority of the database has it on disk. Spam is stored apart, and its sender
 * cannot tell. Equal submissions within 10 s are stored once. Throws a `FormRefusal`, or an `AppError` if a dependency
 * is unavailable; neither leaves anything stored.
 */
export async function acceptSubmission(options: AcceptOptions, sent: SentForm): Promise<void> {
  const { pseudonymize, maxPerSiteHour, now = () => new Date() } = options;
  const { org_id, project_id, isOfJoined, form, page, fields, controls, address } = sent;
  const { subject } = controls;
  const scope = { org_id };
  const at = now();
  const visitor = pseudonymize(project_id, address);
  const digest = hash('sha256', JSON.stringify([project_id, form, fields, visitor]));
  const isSpam = looksLikeSpam(fields, controls);
  const quota = (spam: boolean) => ({ key: `${project_id} ${spam ? 'spam' : 'kept'}`, max: maxPerSiteHour, windowMs: hourMs });
  // A flood must not cost what each form costs.
  if (isUsedUp(quota(isSpam), at) && !(await isRepeat(scope, digest, at))) throw new FormRefusal('too_many_submissions');
  const project = await liveProject(org_id, project_id);
  const { id, repeated } = await submissionIdFor(scope, digest, at);
  if (repeated && (await isFirstCopyStored(scope, id))) return;
  const sender = senderIn(fields);
  const quotas =
    sender === ''
      ? ofAddress.map((each) => ({ key: visitor, ...each }))
      : [
          ...ofNamedSender.map((each) => ({ key: pseudonymize(project_id, `${address}\n${sender}`), ...each })),
          ...ofNamedSenders.map((each) => ({ key: `${visitor} named`, ...each })),
        ];
  // Content first: what a bot sends from an address takes nothing from the people behind it.
  const spam = isSpam || (await isOneUsedUp(scope, quotas, at));
  if (!(await consumeQuota(scope, quota(spam), at))) throw new FormRefusal('too_many_submissions');
  if (!(await consumeDailyQuota(scope, { spam, isOfJoined }, at))) throw new FormRefusal('too_many_today');
  await insertChange(
    SubmissionModel,
    scope,
    openSubmission({ _id: id, org_id, project_id, form, page, fields, spam, ...(subject && { subject }) }, project, at),
  );
}

/** Waits for the first of equal submissions to be stored. The wait is bounded, because its process may have died. */
async function isFirstCopyStored(scope: Scope, id: string): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < firstCopyTimeoutMs; waitedMs += pollIntervalMs) {
    if ((await submissionById(scope, id)) !== null) return true;
    await pause(pollIntervalMs);
  }
  return false;
}

/** Consumes a unit of each. */
async function isOneUsedUp(scope: Scope, quotas: readonly Parameters<typeof consumeQuota>[1][], at: Date): Promise<boolean> {
  return (await Promise.all(quotas.map((quota) => consumeQuota(scope, quota, at)))).includes(false);
}

const namesSender = /mail|name|nom|phone|telefon|tel\b|mobil|handy|correo|courriel/i;

/** Who a form says its sender is: what fields of a name, an address or a number contain; empty if it does not say. */
export function senderIn(fields: readonly NamedValues[]): string {
  const said = fields.filter(({ name, values }) => namesSender.test(name) || values.some((value) => Email.safeParse(value).success));
  return said
    .flatMap(({ values }) => values.map((value) => value.trim().toLowerCase()))
    .filter((value) => value !== '')
    .join('\n');
}

/** The public record of the project. Throws a `FormRefusal` if the project was deleted after its site was resolved. */
async function liveProject(org_id: string, project_id: string): Promise<Project> {
  try {
    return await projectFor(serviceCaller('sites', org_id, rpcTimeoutMs), project_id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'project_not_found') throw new FormRefusal('not_here', { cause: error });
    throw error;
  }
}

/** Submissions of one organization that this process stores: a flood must leave the processors to pages. */
const rate = { perSecond: 10, burst: 20 };
/** As long as people wait for a form. */
const defaultMaxWaitMs = 5000;

/** `accept` at a pace for each organization. Also throws the `FormRefusal` `overloaded`, if too many wait. */
export function paced<Sent extends { readonly org_id: string }>(
  accept: (sent: Sent) => Promise<void>,
  maxWaitMs = defaultMaxWaitMs,
): (sent: Sent) => Promise<void> {
  const pace = new Pace({ maxWaitMs, refusal: () => new FormRefusal('overloaded') });
  return async (sent) => {
    await pace.wait(sent.org_id, rate);
    await accept(sent);
  };
}

const maxLinks = 5;
const link = /\bhttps?:\/\/|\bwww\./gi;
/** Link markup, which people do not type into forms. */
const linkMarkup = /<a\s[^>]{0,200}href|\[url[=\]]/i;

/** True if the honeypot is filled in, or the fields contain link markup or too many links. */
export function looksLikeSpam(fields: readonly NamedValues[], { trapped }: FormControls): boolean {
  if (trapped) return true;
  const texts = fields.flatMap(({ values }) => values);
  if (texts.some((text) => linkMarkup.test(text))) return true;
  return texts.reduce((links, text) => links + (text.match(link)?.length ?? 0), 0) > maxLinks;
}
