import { hash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Caller, RaisedEvent } from '@webkiln/messages';
import { retry, Turns } from '@webkiln/runtime';
import { defineGlobalModel, isDuplicate, isEditedMeanwhile, saveChange, unscoped } from '@webkiln/store';
import {
  type AttemptKind,
  countAccountAttempt,
  countAttempt,
  delayMs,
  failureWindowMs,
  maxAccountFailures,
  maxFailedAttempts,
} from './login-attempts.ts';

// Global: attempts are counted per address and email, before the account is known. Stored, so that all replicas share
// one count.
export const LoginAttemptModel = defineGlobalModel<{ failed_at: Date[]; expires_at: Date }>(
  'tries',
  { failed_at: { type: [Date], required: true }, expires_at: { type: Date, required: true } },
  { raisesEvents: true, indexes: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** What an attempt is counted by: `{ kind: 'address', of: '192.0.2.1' }`. Unknown accounts count like known ones. */
export interface AttemptSubject {
  readonly kind: AttemptKind;
  readonly of: string;
}

/** An attempt to sign in to an account, by its folded email. */
export interface AccountAttempt {
  readonly email: string;
  /** The client's network, or the id of a device that signed in to the account before: it is counted apart. */
  readonly from: { readonly network: string } | { readonly device: string };
}

export interface CountedAttempt {
  /** How late the attempt is answered. */
  readonly delayMs: number;
  /** After success, or if the attempt was not made. */
  uncount(): Promise<void>;
}

const idOf = (subject: string) => hash('sha256', subject, 'base64url');
const textOf = ({ kind, of }: AttemptSubject) => `${kind} ${of}`;

/**
 * Counts an attempt against each subject, then against the account. A refusal counts nowhere, so a blocked address
 * cannot block an account. Throws `rate_limited`.
 */
export async function beginAttempt(caller: Caller, subjects: readonly AttemptSubject[], account?: AccountAttempt): Promise<CountedAttempt> {
  const now = new Date();
  const counted: string[] = [];
  const uncount = async () => {
    const ids = counted.map(idOf);
    await Promise.all(ids.map((_id) => unscoped(LoginAttemptModel).updateOne({ _id }, { $pull: { failed_at: now } })));
  };
  const count = async (subject: string, next: CountAttempts, eventsAt?: EventsAt) => {
    const failures = await countOne(caller, subject, { now, next, eventsAt });
    counted.push(subject);
    return failures;
  };
  try {
    for (const subject of subjects) await count(textOf(subject), (failed) => countAttempt(failed, now, maxFailedAttempts[subject.kind]));
    const late = account === undefined ? 0 : await countAccount(account, count, now);
    return { delayMs: late, uncount };
  } catch (error) {
    await uncount();
    throw error;
  }
}

type CountAttempts = (failed_at: readonly Date[]) => readonly Date[];
type EventsAt = (failures: number) => RaisedEvent[];

/** Returns the delay of the attempt; none for a known device. */
async function countAccount(
  { email, from }: AccountAttempt,
  count: (subject: string, next: CountAttempts, eventsAt?: EventsAt) => Promise<number>,
  now: Date,
): Promise<number> {
  const limited: CountAttempts = (failed) => countAttempt(failed, now, maxFailedAttempts.account);
  if ('device' in from) {
    await count(`account ${email} from device ${from.device}`, limited);
    return 0;
  }
  const total = await count(`account ${email}`, (failed) => countAccountAttempt(failed, now));
  const isLogged = total < maxAccountFailures;
  const own = await count(`account ${email} from ${from.network}`, limited, (failures) => (isLogged ? blockedEvents(email, failures) : []));
  return delayMs(total, own);
}

const turns = new Turns();

/**
 * Returns the number of failures, this attempt included. Each lost race is another counted attempt; the losers of one
 * process take turns, since many at once would lose again and again. Throws `overloaded` at the deadline.
 */
async function countOne(
  caller: Caller,
  subject: string,
  { now, next, eventsAt = () => [] }: { now: Date; next: CountAttempts; eventsAt: EventsAt | undefined },
): Promise<number> {
  const _id = idOf(subject);
  const expires_at = new Date(now.getTime() + failureWindowMs);
  const attempt = async () => {
    if (Date.now() >= caller.deadlineAt) throw new AppError('overloaded');
    const known = await unscoped(LoginAttemptModel).findOne({ _id });
    const failed_at = next(known?.failed_at ?? []);
    if (failed_at === known?.failed_at) return failed_at.length;
    if (known === null) await unscoped(LoginAttemptModel).insert({ _id, failed_at: [...failed_at], expires_at });
    else
      await saveChange(LoginAttemptModel, caller, known, {
        state: { failed_at: [...failed_at], expires_at },
        events: eventsAt(failed_at.length),
      });
    return failed_at.length;
  };
  const isRaced = (error: unknown) => isDuplicate(error, '_id') || isEditedMeanwhile(error);
  return attempt().catch((error: unknown) => {
    if (!isRaced(error)) throw error;
    return turns.take(subject, () => retry(attempt, { isRetryable: isRaced }));
  });
}

/** The attempt that blocks an account for a network goes into the audit log, until the account is slowed the most. */
function blockedEvents(email: string, failures: number): RaisedEvent[] {
  if (failures < maxFailedAttempts.account) return [];
  const target = { kind: 'email', id: email, name: null };
  return [{ type: 'internal.audited', data: { actor: { kind: 'unknown', id: '' }, action: 'sign_in.blocked', target, email } }];
}
