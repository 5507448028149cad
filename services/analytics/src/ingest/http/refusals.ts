import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { counter } from '@webkiln/runtime';
import { pathRequirement } from '../parse/page-path.ts';
import { sendError } from './responses.ts';

const refused = counter({
  name: 'webkiln_view_requests_refused_total',
  help: 'Requests whose views were not taken',
  labelNames: ['reason'],
});

/** Created once: constructing an error costs more than the rest of a refusal. */
export const errors = {
  siteNotFound: new AppError('site_not_found'),
  routeNotFound: new AppError('route_not_found', [{ path: '', message: 'Here are /t.js, /t.gif and /api/collect' }]),
  methodNotAllowed: new AppError('method_not_allowed'),
  bodyTooLarge: new AppError('views_too_large'),
  rateLimited: new AppError('rate_limited'),
  missingPath: new AppError('validation_failed', [{ path: 'p', message: pathRequirement }]),
  unavailable: new AppError('unavailable'),
  overloaded: new AppError('overloaded'),
  internalError: new AppError('internal'),
};

/** Responds with an error and counts the reason. */
export function refuse(
  response: ServerResponse,
  error: AppError,
  { reason = error.code as string, headers = [] as readonly string[] } = {},
): void {
  refused.inc({ reason });
  sendError(response, error, headers);
}

/** Sends the usual response without counting a view: the visitor opted out of tracking. */
export function answerOptedOut(response: ServerResponse, answer: (response: ServerResponse) => void): void {
  refused.inc({ reason: 'opted_out' });
  answer(response);
}
