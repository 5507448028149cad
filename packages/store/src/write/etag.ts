import { AppError, entityTags } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { retry } from '@webkiln/runtime';
import type { RecordFields } from '../model/stored-record.ts';

const maxAttempts = 5;

/** The record's strong entity tag, quotes included: `"r5"`. */
export const etagOf = ({ revision }: Pick<RecordFields, 'revision'>): string => `"r${revision}"`;

const wellFormed = new RegExp(entityTags);
const listedTags = /(?<weak>W\/)?(?<tag>"[^"]*")/g;

/**
 * RFC 9110 §13.1.1: throws `edited_meanwhile` when the caller sent If-Match and it lists no strong tag that is the
 * record's.
 */
export function assertMatches({ ifMatch }: Pick<Caller, 'ifMatch'>, record: Pick<RecordFields, 'revision'>): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const strong = [...(wellFormed.test(ifMatch) ? ifMatch.matchAll(listedTags) : [])].filter(({ groups }) => groups?.weak === undefined);
  if (!strong.some(({ groups }) => groups?.tag === etagOf(record))) throw new AppError('edited_meanwhile');
}

/** True if the record changed between load and save. */
export const isEditedMeanwhile = (error: unknown): boolean => error instanceof AppError && error.code === 'edited_meanwhile';

/**
 * Runs load → rule → save, and again from the load if the record changed in between. So only callers that sent If-Match
 * ever see `edited_meanwhile`. Throws `overloaded` after five lost races.
 */
export const saveWithRetry = <T>({ ifMatch }: Pick<Caller, 'ifMatch'>, attempt: () => Promise<T>): Promise<T> =>
  retry(attempt, {
    isRetryable: (error) => ifMatch === undefined && isEditedMeanwhile(error),
    maxAttempts,
    exhausted: () => new AppError('overloaded'),
  });
