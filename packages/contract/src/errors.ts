import { type ErrorCode, errorCatalogue } from './error-catalogue.ts';
import { type ErrorKind, kinds } from './error-kinds.ts';
import type { RefusedByPlan } from './plan-limits.ts';

/** One thing to correct: `path` is the field ("tags.3"), empty for the body as a whole. */
export interface ErrorDetail {
  path: string;
  message: string;
  /** What of a client's plan refused the request. */
  plan_limit?: RefusedByPlan;
}

/** An error that callers may see. `details` name what to correct; without a message the catalogue's is used. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  /** True if this is the stored response of an earlier attempt of the same request. */
  readonly replayed: boolean;

  constructor(code: ErrorCode, details: readonly ErrorDetail[] = [], options: ErrorOptions & { replayed?: boolean } = {}) {
    super(details.length > 0 ? sentence(details) : errorCatalogue[code].message, options);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
    this.replayed = options.replayed ?? false;
  }

  get kind(): ErrorKind {
    return errorCatalogue[this.code].kind;
  }

  /** The HTTP status, 400–503. */
  get status(): number {
    return kinds[this.kind].status;
  }
}

const sentence = (details: readonly ErrorDetail[]) =>
  `${details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')}.`;
