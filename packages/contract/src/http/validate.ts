import type * as z from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

/** Limits the details of an error, since a body may have a million wrong fields. */
const maxDetails = 10;
const maxNameLength = 60;

/** Validates `value` and fills in defaults. Throws `validation_failed` with one detail per thing to correct. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('validation_failed', result.error.issues.flatMap((issue) => detailsOf(issue, value)).slice(0, maxDetails));
}

function detailsOf(issue: z.core.$ZodIssue, value: unknown): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxDetails).map((key) => ({ path: shown(key), message: 'is not a field of this request' }));
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
  (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name).toWellFormed().replaceAll('\0', '\\u0000');
