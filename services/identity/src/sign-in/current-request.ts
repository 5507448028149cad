import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError, type Language } from '@webkiln/contract';
import type { CountedAttempt } from './attempts/begin-attempt.ts';

/** A place in the queue for hashing a password: in order for each key, round-robin between keys of one rank. */
export interface HashTurn {
  readonly key: string;
  /** In the order of their turns; `slowed` are strangers at an account that is attacked. */
  readonly rank: 'known' | 'stranger' | 'slowed';
}

export interface CurrentRequest {
  /** Below /api/auth: "/sign-in/email". */
  readonly path: string;
  /** The client's network: an IPv4 /24 or an IPv6 /64. */
  readonly network: string;
  /** The language of the browser; undefined if it names none that we have. */
  readonly language?: Language | undefined;
  /** When its password is hashed. */
  readonly turn: HashTurn;
  /** The hash that the given password matched. A concurrent request may replace it before this one ends. */
  verifiedHash?: string;
  /** The attempt with a code of the second factor, as its account counts it. */
  codeAttempt?: CountedAttempt;
  /** Once it has changed the password: whose, and the names of the agents that were disconnected with it. */
  passwordChange?: { readonly email: string; readonly language?: Language | null; readonly agents: readonly string[] };
  /** Why we refused it, by `recordRefusal`. */
  refusal?: AppError;
}

/** The request that the sign-in library is handling: it calls our store without it. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();

/**
 * Makes an `AppError` the answer to the current request. The library answers 500 to errors that are not its own, 422 to
 * those of a sign-up, and continues after some.
 */
export function recordRefusal(error: unknown): void {
  const request = currentRequest.getStore();
  if (request !== undefined && error instanceof AppError) request.refusal ??= error;
}
