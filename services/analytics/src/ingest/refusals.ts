import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { counter } from '@webkiln/runtime';
import { sendProblem } from './answers.ts';
import { pathForm } from './viewed-path.ts';

const refused = counter({
  name: 'webkiln_view_requests_refused_total',
  help: 'Requests whose views were not taken',
  labelNames: ['reason'],
});

/** Made once: an error costs more than all else that a refusal does. */
export const noSuchSite = new AppError('site_not_found');
export const noSuchPath = new AppError('route_not_found', [{ path: '', message: 'Here are /t.js, /t.gif and /api/collect' }]);
export const wrongMethod = new AppError('method_not_allowed');
export const tooLarge = new AppError('views_too_large');
export const tooMany = new AppError('rate_limited');
export const noPage = new AppError('validation_failed', [{ path: 'p', message: pathForm }]);
export const unavailable = new AppError('unavailable');
export const overloaded = new AppError('overloaded');
export const internal = new AppError('internal');

/** Answers with an error, and counts why. */
export function refuse(
  response: ServerResponse,
  error: AppError,
  { reason = error.code as string, headers = [] as readonly string[] } = {},
): void {
  refused.inc({ reason });
  sendProblem(response, error, headers);
}

/** Answers as usual where nothing is to be counted: the visitor has asked not to be. */
export function optOut(response: ServerResponse, answer: (response: ServerResponse) => void): void {
  refused.inc({ reason: 'opted_out' });
  answer(response);
}
