import * as z from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, errorCatalogue, kinds } from '../error-catalogue.ts';
import { AppError } from '../errors.ts';
import { RefusedByPlan } from '../plan-limits.ts';
import { commonErrors, methodErrors, type Operation, sendsEtag, takesIfMatch } from './operation.ts';

const ErrorBody = z
  .object({
    error: z.string().describe('A sentence that says what to do'),
    code: z.enum(Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]]).optional(),
    details: z.array(z.object({ path: z.string(), message: z.string(), plan_limit: RefusedByPlan.optional() })).optional(),
    request_id: z.string().optional(),
  })
  .meta({ id: 'Error' });

const header = (description: string, type: 'integer' | 'string' = 'integer') => ({ description, required: true, schema: { type } });

/** Components that several responses refer to. */
export const headers = {
  'X-Request-Id': header('Yours, if you sent one; quote it when you ask for help', 'string'),
  'RateLimit-Policy': header('"v1";q=100;w=60: the quota and its window in seconds', 'string'),
  RateLimit: header('"v1";r=<requests left>;t=<seconds until one is free>', 'string'),
  'X-RateLimit-Limit': header('The quota'),
  'X-RateLimit-Remaining': header('Requests left'),
  'X-RateLimit-Reset': header('Seconds until the oldest counted request leaves the window'),
  'Retry-After': header('Seconds to wait'),
  ETag: header('Send it as If-Match to change just this state', 'string'),
  'X-Total-Count': header('Records that match; exact up to 1,000, see the list'),
  'X-Parameter-Warnings': {
    ...header('Query parameters that were ignored or clamped, and what each takes; with commas between', 'string'),
    required: false,
  },
  Link: {
    ...header('RFC 8288: rel first, prev, next, last, as far as there are such pages; next works at any depth', 'string'),
    required: false,
  },
};
const refer = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const everyAnswer = refer(
  'X-Request-Id',
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
);

function byStatus(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = kinds[errorCatalogue[code].kind];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** The operation's error codes by HTTP status. */
export const errorsByStatus = (operation: Operation) =>
  byStatus([
    ...commonErrors,
    ...(operation.credential === 'session' ? (['session_required'] as const) : []),
    ...methodErrors[operation.method],
    ...(takesIfMatch(operation) ? (['edited_meanwhile', 'if_match_unquoted'] as const) : []),
    ...operation.errors,
  ]);

const errorAnswer = (status: number, codes: readonly ErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${new AppError(code).message}`).join('\n\n'),
  headers: status === 429 || status === 503 ? { ...everyAnswer, ...refer('Retry-After') } : everyAnswer,
  content: { 'application/json': { schema: ErrorBody } },
});

const sharedNames: Readonly<Record<number, string>> = {
  401: 'Unauthenticated',
  403: 'Forbidden',
  429: 'RateLimited',
  500: 'Failed',
  503: 'Unavailable',
};
const shared = byStatus(commonErrors);

/** The responses for errors that every operation may respond with. */
export const sharedAnswers = Object.fromEntries(
  [...shared].map(([status, codes]) => [sharedNames[status] ?? status, errorAnswer(status, codes)]),
);

/** All documented responses of an operation. */
export function answersOf(operation: Operation): ZodOpenApiResponsesObject {
  const isList = typeof operation.output !== 'string' && 'total' in operation.output.shape;
  const ok = {
    description: operation.summary,
    headers: {
      ...everyAnswer,
      ...(operation.method === 'GET' || operation.method === 'DELETE' ? refer('X-Parameter-Warnings') : {}),
      ...(isList ? refer('X-Total-Count', 'Link') : {}),
      ...(sendsEtag(operation) ? refer('ETag') : {}),
    },
    content:
      typeof operation.output === 'string'
        ? { [operation.output === 'file' ? '*/*' : 'text/event-stream']: { schema: { type: 'string' as const } } }
        : {
            'application/json': { schema: operation.output },
            ...(operation.csv === undefined ? {} : { 'text/csv': { schema: { type: 'string' as const } } }),
          },
  };
  const answers: Record<string, unknown> = { [operation.success]: ok };
  if (operation.method === 'DELETE')
    answers['204'] = { description: 'Deleted, when `Prefer: return=minimal` was sent', headers: everyAnswer };
  for (const [status, codes] of errorsByStatus(operation)) {
    const isShared = shared.get(status)?.join() === codes.join();
    answers[status] = isShared ? { $ref: `#/components/responses/${sharedNames[status]}` } : errorAnswer(status, codes);
  }
  return answers as ZodOpenApiResponsesObject;
}
