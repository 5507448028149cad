import { batched } from '@webkiln/runtime';
import { defineGlobalModel, type GlobalStored, unscoped, where } from '@webkiln/store';
import { type EventNames, idOf, type Letter, namesIn, reasonOf } from './letter.ts';

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

export const letters = () => unscoped(DeadLetterModel);
/** Dead letters alone: a failing message has no place. */
export const anyPlace = where<string>({ $gt: '' });

/** Counts a failure. Returns how many there were, and when the first one was. */
export async function recordFailure(letter: Letter, error: unknown): Promise<Pick<DeadLetter, 'attempts' | 'first_failed_at'>> {
  const _id = idOf(letter);
  const now = new Date();
  await letters().updateOne(
    { _id },
    {
      $inc: { attempts: 1 },
      $set: { error: reasonOf(error), expires_at: new Date(now.getTime() + failingKeptMs) },
      $setOnInsert: { consumer: letter.consumer, ...namesIn(letter.text), first_failed_at: now },
    },
    { upsert: true },
  );
  return (await letters().findOne({ _id }, { fields: ['attempts', 'first_failed_at'] })) ?? { attempts: 1, first_failed_at: now };
}

export interface Keeping {
  readonly days: number;
  /** How many are kept for one consumer and organization; beyond it the oldest is dropped. */
  readonly max: number;
}

/** Makes a message a dead letter; repeating it changes nothing. Returns its id. */
export async function setAside(letter: Letter, error: unknown, { days, max }: Keeping): Promise<string> {
  const _id = idOf(letter);
  const now = new Date();
  const names = namesIn(letter.text);
  const { consumer } = letter;
  await letters().updateOne(
    { _id },
    {
      $set: {
        dead_at: now,
        place: `${now.toISOString()} ${_id}`,
        text: letter.text.slice(0, maxTextLength),
        cut: letter.text.length > maxTextLength,
        error: reasonOf(error),
        expires_at: new Date(now.getTime() + days * dayMs),
      },
      $setOnInsert: { consumer, ...names, attempts: 1, first_failed_at: now },
    },
    { upsert: true },
  );
  const { org_id } = names;
  if ((await letters().count({ consumer, org_id, place: anyPlace }, max + 1)) > max) {
    const oldest = await letters().findOne({ consumer, org_id, place: anyPlace }, { sort: { place: 1 }, fields: [] });
    if (oldest !== null) await letters().deleteOne({ _id: oldest._id });
  }
  return _id;
}

const isDeadLetter = batched<string, boolean>(async (ids) => {
  const dead = new Set((await letters().find({ _id: where({ $in: ids }), place: anyPlace }, { fields: [] })).map(({ _id }) => _id));
  return ids.map((id) => dead.has(id));
});

/** Questions of one event-loop tick share a query. */
export const isDead = (letter: Letter): Promise<boolean> => isDeadLetter(idOf(letter));
