import { hash } from 'node:crypto';
import { batched } from '@webkiln/runtime';
import { defineGlobalModel, type GlobalStored, unscoped, where } from '@webkiln/store';

const maxErrorLength = 500;
const maxNameLength = 200;
const idLength = 24;

/** A message of a consumer that fails, or whose handling was given up. */
export interface FailedMessage {
  readonly consumer: string;
  /** The message as it is on the stream. */
  readonly text: string;
}

/** The id, type and organization of the event in a message; empty texts where it cannot be read. */
interface EventNames {
  readonly event_id: string;
  readonly type: string;
  readonly org_id: string;
}

/** The text of an error that is stored, at most 500 characters. */
const reasonOf = (error: unknown): string => String(error).slice(0, maxErrorLength);

/** The id under which a message's failures are stored: the same for each delivery of it to a consumer. */
const idOf = ({ consumer, text }: FailedMessage): string => hash('sha256', `${consumer}\0${text}`, 'hex').slice(0, idLength);

/** The names that the event in a message states. */
export function namesIn(json: string): EventNames {
  const named = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxNameLength) : '');
  try {
    const { id, type, org_id } = JSON.parse(json) ?? {};
    return { event_id: named(id), type: named(type), org_id: named(org_id) };
  } catch {
    return { event_id: '', type: '', org_id: '' };
  }
}

const maxTextLength = 256 * 1024;
const failingKeptMs = 24 * 3600_000;
const dayMs = 24 * 3600_000;

interface DeadLetterFields extends EventNames {
  consumer: string;
  attempts: number;
  error: string;
  first_failed_at: Date;
  expires_at: Date;
  /** Only of dead letters: when handling was given up. */
  dead_at?: Date;
  /** Only of dead letters: orders them by `dead_at`, each with a place of its own. */
  place?: string;
  text?: string;
  /** True if the text is longer than what is kept. */
  cut?: boolean;
  replaying_until?: Date;
}

export type DeadLetter = GlobalStored<DeadLetterFields>;

const text = { type: String };
const required = { type: String, required: true };
const date = { type: Date };

// Global: an unreadable message names no organization, and operators see those of all.
const DeadLetterModel = defineGlobalModel<DeadLetterFields>(
  'dead_letters',
  {
    consumer: required,
    // Mongoose counts an empty text as missing.
    event_id: text,
    type: text,
    org_id: text,
    attempts: { type: Number, required: true },
    error: text,
    first_failed_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    dead_at: date,
    place: text,
    text,
    cut: { type: Boolean },
    replaying_until: date,
  },
  {
    exportedAs: null,
    indexes: [
      [{ expires_at: 1 }, { expireAfterSeconds: 0 }],
      [{ consumer: 1, org_id: 1, place: 1 }],
      [{ place: 1 }, { partialFilterExpression: { place: { $exists: true } } }],
    ],
  },
);

const deadLetters = () => unscoped(DeadLetterModel);
/** Dead letters alone: a failing message has no place. */
const anyPlace = where<string>({ $gt: '' });

/** Counts a failure. Returns how many there were, and when the first one was. */
export async function recordFailure(failed: FailedMessage, error: unknown): Promise<Pick<DeadLetter, 'attempts' | 'first_failed_at'>> {
  const _id = idOf(failed);
  const now = new Date();
  await deadLetters().updateOne(
    { _id },
    {
      $inc: { attempts: 1 },
      $set: { error: reasonOf(error), expires_at: new Date(now.getTime() + failingKeptMs) },
      $setOnInsert: { consumer: failed.consumer, ...namesIn(failed.text), first_failed_at: now },
    },
    { upsert: true },
  );
  return (await deadLetters().findOne({ _id }, { fields: ['attempts', 'first_failed_at'] })) ?? { attempts: 1, first_failed_at: now };
}

interface Keeping {
  readonly days: number;
  /** How many are kept for one consumer and organization; beyond it the oldest is dropped. */
  readonly max: number;
}

/** Makes a message a dead letter; repeating it changes nothing. Returns its id. */
export async function setAside(failed: FailedMessage, error: unknown, { days, max }: Keeping): Promise<string> {
  const _id = idOf(failed);
  const now = new Date();
  const names = namesIn(failed.text);
  const { consumer } = failed;
  await deadLetters().updateOne(
    { _id },
    {
      $set: {
        dead_at: now,
        place: `${now.toISOString()} ${_id}`,
        text: failed.text.slice(0, maxTextLength),
        cut: failed.text.length > maxTextLength,
        error: reasonOf(error),
        expires_at: new Date(now.getTime() + days * dayMs),
      },
      $setOnInsert: { consumer, ...names, attempts: 1, first_failed_at: now },
    },
    { upsert: true },
  );
  const { org_id } = names;
  if ((await deadLetters().count({ consumer, org_id, place: anyPlace }, max + 1)) > max) {
    const oldest = await deadLetters().findOne({ consumer, org_id, place: anyPlace }, { sort: { place: 1 }, fields: [] });
    if (oldest !== null) await deadLetters().deleteOne({ _id: oldest._id });
  }
  return _id;
}

const isDeadLetter = batched<string, boolean>(async (ids) => {
  const dead = new Set((await deadLetters().find({ _id: where({ $in: ids }), place: anyPlace }, { fields: [] })).map(({ _id }) => _id));
  return ids.map((id) => dead.has(id));
});

/** Questions of one event-loop tick share a query. */
export const isDead = (failed: FailedMessage): Promise<boolean> => isDeadLetter(idOf(failed));

const pageSize = 100;

/** A page of dead letters, longest dead first; `after` is the place of the last one of the page before. */
export async function listDeadLetters({ consumer, after = '' }: { consumer?: string | undefined; after?: string | undefined }) {
  const filter = { ...(consumer !== undefined && { consumer }), place: where<string>({ $gt: after }) };
  const found = await deadLetters().find(filter, { sort: { place: 1 }, limit: pageSize });
  return { found, next: found.length === pageSize ? found.at(-1)?.place : undefined };
}

/** The number of a consumer's dead letters; counting ends at `max`. */
export const countDeadLetters = (consumer: string, max: number): Promise<number> => deadLetters().count({ consumer, place: anyPlace }, max);

/** Reserves a dead letter for one replay. Null if there is none, or another replay is running. */
export async function claimDeadLetter(_id: string, leaseMs: number): Promise<DeadLetter | null> {
  const known = await deadLetters().findOne({ _id, place: anyPlace });
  const now = Date.now();
  if (known === null || (known.replaying_until !== undefined && known.replaying_until.getTime() > now)) return null;
  const unchanged = known.replaying_until === undefined ? where<Date | undefined>({ $exists: false }) : known.replaying_until;
  const claim = { $set: { replaying_until: new Date(now + leaseMs) } };
  const { matchedCount } = await deadLetters().updateOne({ _id, replaying_until: unchanged }, claim);
  return matchedCount === 1 ? known : null;
}

/** Ends a replay that failed. */
export async function releaseDeadLetter(_id: string, error: unknown): Promise<void> {
  await deadLetters().updateOne({ _id }, { $inc: { attempts: 1 }, $set: { error: reasonOf(error) }, $unset: { replaying_until: true } });
}

/** Deletes a dead letter. False if there is none with this id. */
export const discardDeadLetter = async (_id: string): Promise<boolean> =>
  (await deadLetters().deleteOne({ _id, place: anyPlace })).deletedCount === 1;
