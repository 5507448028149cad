import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { TurnFailure } from '../../engines/failures.ts';

const unexpected = 'Something went wrong on our side. Your site is as it was: send the message again.';
const edited = 'The site was changed from elsewhere meanwhile. Nothing was overwritten: send the message again.';

/** The outcome of a turn that has ended without a revision. */
export const failed = Symbol('failed');

/** The revision may have been made or not: the process that ends the turn asks. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** Throws a refusal as it is; after anything else nobody knows whether the commit was made. */
export function unlessUnknown(cause: unknown): never {
  if (cause instanceof AppError && cause.status < 500) throw cause;
  throw new UnknownOutcome('a turn was committed without an answer', { cause });
}

/** The sentence for the person; an unexpected error is logged. */
export function sentenceFor(error: unknown, { isAborted, turn_id }: { isAborted: boolean; turn_id: string }): string {
  if (error instanceof TurnFailure) return error.message;
  if (error instanceof AppError && error.code === 'edited_meanwhile') return edited;
  if (error instanceof AppError && error.status < 500) return error.message;
  if (!isAborted) logger.error({ err: error, turn_id }, 'turn failed');
  return unexpected;
}
