import { where } from '@webkiln/store';
import { anyPlace, type DeadLetter, letters } from './dead-letter-store.ts';
import { reasonOf } from './letter.ts';

const pageSize = 100;

/** A page of dead letters, longest dead first; `after` is the place of the last one of the page before. */
export async function listDeadLetters({ consumer, after = '' }: { consumer?: string | undefined; after?: string | undefined }) {
  const filter = { ...(consumer !== undefined && { consumer }), place: where<string>({ $gt: after }) };
  const found = await letters().find(filter, { sort: { place: 1 }, limit: pageSize });
  return { found, next: found.length === pageSize ? found.at(-1)?.place : undefined };
}

/** The number of a consumer's dead letters; counting ends at `max`. */
export const countDeadLetters = (consumer: string, max: number): Promise<number> => letters().count({ consumer, place: anyPlace }, max);

/** Reserves a dead letter for one replay. Null if there is none, or another replay is running. */
export async function claimDeadLetter(_id: string, leaseMs: number): Promise<DeadLetter | null> {
  const known = await letters().findOne({ _id, place: anyPlace });
  const now = Date.now();
  if (known === null || (known.replaying_until !== undefined && known.replaying_until.getTime() > now)) return null;
  const unchanged = known.replaying_until === undefined ? where<Date | undefined>({ $exists: false }) : known.replaying_until;
  const claim = { $set: { replaying_until: new Date(now + leaseMs) } };
  const { matchedCount } = await letters().updateOne({ _id, replaying_until: unchanged }, claim);
  return matchedCount === 1 ? known : null;
}

/** Ends a replay that failed. */
export async function releaseDeadLetter(_id: string, error: unknown): Promise<void> {
  await letters().updateOne({ _id }, { $inc: { attempts: 1 }, $set: { error: reasonOf(error) }, $unset: { replaying_until: true } });
}

/** Deletes a dead letter. False if there is none with this id. */
export const discardDeadLetter = async (_id: string): Promise<boolean> =>
  (await letters().deleteOne({ _id, place: anyPlace })).deletedCount === 1;
