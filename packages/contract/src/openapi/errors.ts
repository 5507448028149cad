import * as z from 'zod';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, errorCatalogue } from '../error-catalogue.ts';
import { kinds } from '../error-kinds.ts';
import { commonErrors, methodErrors, type Operation, takesIfMatch } from '../http/operation.ts';
import { operations } from '../http/operations.ts';
import { RefusedByPlan } from '../plan-limits.ts';
import { type HeaderName, refer } from './headers.ts';

const codes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];

const ErrorDetail = z
  .object({
    path: z.string().describe('The field that it is about, such as `tags.3`; empty for the body as a whole'),
    message: z.string().describe('What the field must be, as the end of a sentence'),
    plan_limit: RefusedByPlan.optional(),
  })
  .meta({ id: 'ErrorDetail', description: 'One thing to correct' });

const common = {
  error: z.string().describe('A sentence for people that says what is wrong and how to mend it. Its wording may change: decide by `code`'),
  details: z.array(ErrorDetail).optional().describe('What to correct, at most 10; absent where `error` says it all'),
  request_id: z.string().describe('The X-Request-Id of this answer: quote it when you ask for help'),
};

/** The body of every error. A later release may answer further codes. */
export const ErrorBody = z
  .object({
    error: common.error,
    code: z.enum(codes).meta({ id: 'ErrorCode', description: 'What went wrong, for programs' }),
    details: common.details,
    request_id: common.request_id,
  })
  .meta({ id: 'Error', description: 'The body of every error answer, whatever its code' });

const pascal = (code: string) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const bodyOf = (code: ErrorCode) =>
  z
    .object({
      error: common.error,
      code: z.literal(code).describe('Decide by this'),
      details: common.details,
      request_id: common.request_id,
    })
    .meta({ id: `${pascal(code)}Error`, description: errorCatalogue[code].message });
type CodeBody = ReturnType<typeof bodyOf>;

const codeBodies = new Map<ErrorCode, CodeBody>(codes.map((code) => [code, bodyOf(code)]));

function schemaOf(listed: readonly ErrorCode[]): z.ZodType {
  const [first, ...others] = listed.map((code) => codeBodies.get(code) as CodeBody);
  if (first === undefined) throw new Error('an error answer needs a code');
  return others.length === 0 ? first : z.discriminatedUnion('code', [first, ...others]);
}

function byStatus(listed: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>();
  for (const code of new Set(listed)) {
    const { status } = kinds[errorCatalogue[code].kind];
    found.set(status, [...(found.get(status) ?? []), code]);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

const sessionErrors = ['session_required'] as const;
const ifMatchErrors = ['edited_meanwhile', 'if_match_unquoted'] as const;

/** The operation's error codes by HTTP status. */
export const errorsByStatus = (operation: Operation) =>
  byStatus([
    ...commonErrors,
    ...(operation.credential === 'session' ? sessionErrors : []),
    ...methodErrors[operation.method],
    ...(takesIfMatch(operation) ? ifMatchErrors : []),
    ...operation.errors,
  ]);

export const everyAnswer: readonly HeaderName[] = [
  ...(['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const),
  ...(['Deprecation', 'Sunset'] as const),
];

const furtherHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['X-Accepted-Permissions'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const errorAnswer = (status: number, description: string, listed: readonly ErrorCode[]) => ({
  description,
  headers: {
    Link: { $ref: '#/components/headers/HelpLink' },
    ...refer(...everyAnswer, ...(furtherHeaders[status] ?? []), ...(status < 500 ? (['Idempotent-Replayed'] as const) : [])),
  },
  content: { 'application/json': { schema: schemaOf(listed), examples: examplesOf(listed) } },
});

const examplesOf = (listed: readonly ErrorCode[]) =>
  Object.fromEntries(listed.map((code) => [code, { $ref: `#/components/examples/${pascal(code)}` }]));

const requestId = '0f4c1f6e-8c2b-4a1d-9d0e-2f7b6a5c4d3e';

const line = (code: ErrorCode) => `\`${code}\`: ${errorCatalogue[code].message}`;

/** The answers that many operations share, by the name of their component: `[status, codes]`. */
const shared: Readonly<Record<string, readonly [number, readonly ErrorCode[]]>> = Object.fromEntries(
  (
    [
      ['Unauthenticated', 401, commonErrors],
      ['Forbidden', 403, commonErrors],
      ['ForbiddenToKeys', 403, [...commonErrors, ...sessionErrors]],
      ['RateLimited', 429, commonErrors],
      ['Failed', 500, commonErrors],
      ['Unavailable', 503, commonErrors],
      ['BodyInvalid', 400, methodErrors.POST],
      ['BodyTooSlow', 408, methodErrors.POST],
      ['RequestInFlight', 409, methodErrors.POST],
      ['EditedMeanwhile', 412, ifMatchErrors],
      ['BodyTooLarge', 413, methodErrors.POST],
      ['ContentTypeUnsupported', 415, methodErrors.POST],
      ['IdempotencyKeyReused', 422, methodErrors.POST],
    ] as const
  ).map(([name, status, listed]) => [name, [status, byStatus(listed).get(status) ?? []]]),
);

export const sharedAnswers = Object.fromEntries(
  Object.entries(shared).map(([name, [status, listed]]) => [name, errorAnswer(status, listed.map(line).join('\n\n'), listed)]),
);

/** The documented error responses of an operation. Codes that many operations share are explained at their schemas. */
export function errorAnswersOf(operation: Operation): ZodOpenApiResponsesObject {
  const answers: Record<string, unknown> = {};
  for (const [status, listed] of errorsByStatus(operation)) {
    const sameStatus = Object.entries(shared).filter(([, [each]]) => each === status);
    const same = sameStatus.find(([, [, each]]) => each.join() === listed.join());
    if (same !== undefined) answers[status] = { $ref: `#/components/responses/${same[0]}` };
    else {
      const usual = new Set(sameStatus.flatMap(([, [, each]]) => each));
      const others = listed.filter((code) => usual.has(code)).map((code) => `\`${code}\``);
      const lines = listed.filter((code) => !usual.has(code)).map(line);
      if (others.length > 0) lines.push(`As everywhere: ${others.join(', ')}`);
      answers[status] = errorAnswer(status, lines.join('\n\n'), listed);
    }
  }
  return answers as ZodOpenApiResponsesObject;
}

/** The codes that an operation may answer; others are of pages and services outside of the document. */
const documented = new Set(Object.values(operations).flatMap((operation) => [...errorsByStatus(operation).values()].flat()));

/** An answer with each code, as components. */
export const errorExamples = Object.fromEntries(
  [...documented].map((code) => {
    const { message } = errorCatalogue[code];
    return [pascal(code), { summary: message, value: { error: message, code, request_id: requestId } }];
  }),
);
