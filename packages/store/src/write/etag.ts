import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import type { RecordFields } from './model.ts';

const attempts = 5;

/** The record's strong entity tag, quotes included: `"r5"`. */
export const etagOf = ({ revision }: Pick<RecordFields, 'revision'>): string => `"r${revision}"`;

const listedTags = /(?<weak>W\/)?(?<tag>"[^"]*")/g;

/** RFC 9110 §13.1.1: throws `edited_meanwhile` when the caller sent If-Match and it lists no strong tag that is the record's. */
export function assertMatches({ ifMatch }: Pick<Caller, 'ifMatch'>, record: Pick<RecordFields, 'revision'>): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const strong = [...ifMatch.matchAll(listedTags)].filter(({ groups }) => groups?.weak === undefined);
  if (!strong.some(({ groups }) => groups?.tag === etagOf(record))) throw new AppError('edited_meanwhile');
}

/**
 * Runs load → rule → save, and again from the load when somebody else saved meanwhile, so that only callers who sent If-Match ever
 * meet `edited_meanwhile`. After five lost races it is `overloaded`.
 */
export async function saveWithRetry<T>({ ifMatch }: Pick<Caller, 'ifMatch'>, attempt: () => Promise<T>): Promise<T> {
  for (let lost = 0; lost < attempts; lost++) {
    try {
      return await attempt();
    } catch (error) {
      if (ifMatch !== undefined || !(error instanceof AppError) || error.code !== 'edited_meanwhile') throw error;
    }
  }
  throw new AppError('overloaded');
}
