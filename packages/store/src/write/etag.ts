import { AppError, entityTags } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { KeyedMutex, retry } from '@webkiln/runtime';
import type { RecordFields } from '../model/stored-record.ts';

/** Newcomers race against those who wait for their turn. */
const maxAttempts = 20;

/** The record's strong entity tag, quotes included: `"r5"`. */
export const etagOf = ({ revision }: Pick<RecordFields, 'revision'>): string => `"r${revision}"`;

const wellFormed = new RegExp(entityTags);
const listedTags = /(?<weak>W\/)?(?<tag>"[^"]*")/g;

/**
 * RFC 9110 §13.1.1: true unless the caller sent If-Match, and it lists no strong tag that is `etag`. Undefined: there
 * is nothing to match. Throws `if_match_unquoted` when it lists no tags.
 */
export function isMatch({ ifMatch }: Pick<Caller, 'ifMatch'>, etag: string | undefined): boolean {
  if (ifMatch === undefined) return true;
  if (ifMatch.trim() === '*') return etag !== undefined;
  if (!wellFormed.test(ifMatch)) throw new AppError('if_match_unquoted');
  const strong = [...ifMatch.matchAll(listedTags)].filter(({ groups }) => groups?.weak === undefined);
  return etag !== undefined && strong.some(({ groups }) => groups?.tag === etag);
}

/** Throws `edited_meanwhile` when the caller sent If-Match for another state of the record. */
export function assertMatches(caller: Pick<Caller, 'ifMatch'>, record: Pick<RecordFields, 'revision'>): void {
  if (!isMatch(caller, etagOf(record))) throw new AppError('edited_meanwhile');
}

/** The record changed between load and save. */
export class LostRace extends AppError {
  readonly recordId: string;

  constructor(recordId: string) {
    super('edited_meanwhile');
    this.recordId = recordId;
  }
}

/** True if the record changed between load and save. */
export const isEditedMeanwhile = (error: unknown): boolean => error instanceof AppError && error.code === 'edited_meanwhile';

const mutex = new KeyedMutex();

/**
 * Runs load → rule → save, and again from the load if the record changed in between. So only callers that sent If-Match
 * ever see `edited_meanwhile`. Callers of this process that name the record take turns from the start, so that they
 * lose no races to each other; others do so once they lost one. Throws `overloaded` after further lost races, or at the
 * caller's deadline.
 */
export async function saveWithRetry<T>(
  {
    ifMatch,
    deadlineAt = Number.POSITIVE_INFINITY,
    principal,
  }: Pick<Caller, 'ifMatch'> & Partial<Pick<Caller, 'deadlineAt' | 'principal'>>,
  attempt: () => Promise<T>,
  recordId?: string,
): Promise<T> {
  const isRetryable = (error: unknown) => ifMatch === undefined && isEditedMeanwhile(error);
  const save = (attempts: number) => {
    if (Date.now() >= deadlineAt) throw new AppError('overloaded');
    return retry(attempt, { isRetryable, maxAttempts: attempts, exhausted: () => new AppError('overloaded') });
  };
  // Whoever names another organization's record waits for none of its writers, nor they for it.
  if (recordId !== undefined) return mutex.run(`${principal?.org_id} ${recordId}`, async () => save(maxAttempts));
  try {
    return await attempt();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return error instanceof LostRace ? mutex.run(error.recordId, async () => save(maxAttempts - 1)) : save(maxAttempts - 1);
  }
}
