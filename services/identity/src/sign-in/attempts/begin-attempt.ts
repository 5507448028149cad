import { networkPrefixOf } from '@webkiln/http';
import { type Caller, type RaisedEvent, serviceCaller } from '@webkiln/messages';
import { type CountAttempts, countOne, type EventsAt, uncountAll } from './login-attempt-store.ts';
import { type AttemptKind, countAccountAttempt, countAttempt, delayMs, maxAccountFailures, maxFailedAttempts } from './login-attempts.ts';

/** A counter of attempts: `{ kind: 'address', of: '192.0.2.1' }`. Unknown accounts count like known ones. */
export interface AttemptSubject {
  readonly kind: AttemptKind;
  readonly of: string;
}

/** An attempt to sign in to an account, by its folded email. */
interface AccountAttempt {
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

const textOf = ({ kind, of }: AttemptSubject) => `${kind} ${of}`;

/**
 * Counts an attempt against each subject, then against the account. A refusal counts nowhere, so a blocked address
 * cannot block an account. Throws `rate_limited`.
 */
export async function beginAttempt(caller: Caller, subjects: readonly AttemptSubject[], account?: AccountAttempt): Promise<CountedAttempt> {
  const now = new Date();
  const counted: string[] = [];
  const uncount = () => uncountAll(serviceCaller('identity'), counted, now);
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
  const own = await count(`account ${email} from ${from.network}`, limited, (failures) =>
    isLogged ? blockedEvents(email, from.network, failures) : [],
  );
  return delayMs(total, own);
}

/** Audits the attempt that triggers a block, until the delay has reached its maximum. */
function blockedEvents(email: string, network: string, failures: number): RaisedEvent[] {
  if (failures < maxFailedAttempts.account) return [];
  const target = { kind: 'email', id: email, name: null };
  const actor = { kind: 'unknown', id: '' };
  return [{ type: 'internal.audited', data: { actor, action: 'sign_in.blocked', target, email, ip_prefix: networkPrefixOf(network) } }];
}
