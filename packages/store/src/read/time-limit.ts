import { callerOf, type Scope } from '../model/scope.ts';

/** Less than `socketTimeoutMS` of the connection, after which nobody waits for the answer. */
const maxReadMs = 9_000;

/** Ends a read in MongoDB, not only here, when its caller has stopped waiting: `maxTimeMS`, at least 1. */
export function timeLimit(scope?: Scope): { readonly maxTimeMS: number } {
  const deadlineAt = scope && callerOf(scope)?.deadlineAt;
  const leftMs = deadlineAt === undefined ? maxReadMs : Math.ceil(deadlineAt - Date.now());
  return { maxTimeMS: Math.max(1, Math.min(leftMs, maxReadMs)) };
}
