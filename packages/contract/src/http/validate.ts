import type * as z from 'zod';
import { AppError, type ErrorDetail } from './errors.ts';

/** More than this helps nobody, and a body of a million wrong fields must not come back as one sentence. */
const mostDetails = 10;
const longestName = 60;

/** Checks `value` and returns it with defaults filled in; throws `validation_failed` with one detail per thing to correct. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('validation_failed', result.error.issues.flatMap((issue) => detailsOf(issue, value)).slice(0, mostDetails));
}

function detailsOf(issue: z.core.$ZodIssue, value: unknown): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostDetails).map((key) => ({ path: shown(key), message: 'is not a field of this request' }));
  const path = issue.path.map((step) => shown(String(step))).join('.');
  if (path !== '' && at(value, issue.path) === undefined) return [{ path, message: 'is required' }];
  return [{ path, message: path === '' ? 'The body must be one JSON object' : issue.message }];
}

const at = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce(
    (inner, step) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );

const shown = (name: string) =>
  (name.length > longestName ? `${name.slice(0, longestName)}…` : name).toWellFormed().replaceAll('\0', '\\u0000');
