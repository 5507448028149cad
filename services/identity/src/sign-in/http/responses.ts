import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { TooManyAttempts } from '../attempts/login-attempts.ts';

interface ApiResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

const commonHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];
const jsonHeaders = ['Content-Type', 'application/json; charset=utf-8'];
/** Seconds by status, of other errors: 429 waits for the window of failed attempts, 503 for a moment. */
const retryAfter: Readonly<Record<number, string>> = { 429: '600', 503: '2' };

/** Session tokens travel only in cookies, so that scripts cannot read them. */
const hiddenField = 'token';
/** The fields of a user that are shown. For a taken address the library invents a user, which must look the same. */
const personFields = ['id', 'email', 'name', 'emailVerified', 'twoFactorEnabled'];

/** Converts the library's response to our API's form: errors in our envelope, cookies and redirects unchanged. */
export async function toApiResponse(response: Response, requestId: string): Promise<ApiResponse> {
  const headers = [...commonHeaders, 'X-Request-Id', requestId];
  for (const cookie of response.headers.getSetCookie()) headers.push('Set-Cookie', cookie);
  const location = response.headers.get('location');
  if (location !== null) headers.push('Location', location);
  if (response.status >= 300 && response.status < 400) return { status: response.status, headers, body: '' };
  const content = (await response.json().catch(() => ({}))) as Record<string, unknown> | null;
  const body = response.status >= 400 ? errorEnvelope(response.status, content ?? {}, requestId) : visible(content ?? {});
  return { status: response.status, headers: [...headers, ...jsonHeaders], body: JSON.stringify(body) };
}

function visible({ [hiddenField]: _hidden, user, ...content }: Record<string, unknown>) {
  if (typeof user !== 'object' || user === null) return content;
  const person = user as Record<string, unknown>;
  return { ...content, user: Object.fromEntries(personFields.map((field) => [field, person[field] ?? null])) };
}

function errorEnvelope(status: number, { code, message }: Record<string, unknown>, request_id: string) {
  if (status >= 500 || typeof message !== 'string') return { error: new AppError('internal').message, code: 'internal', request_id };
  return { error: /[.!?]$/.test(message) ? message : `${message}.`, code: String(code ?? 'validation_failed').toLowerCase(), request_id };
}

/** The response for an `AppError`; anything else becomes `internal`. */
export function errorResponse(error: unknown, requestId: string): ApiResponse {
  const { status, message, code, details } = error instanceof AppError ? error : new AppError('internal');
  const body = { error: message, code, ...(details.length > 0 && { details }), request_id: requestId };
  const after = error instanceof TooManyAttempts ? String(error.retryAfterS) : retryAfter[status];
  const retry = after === undefined ? [] : ['Retry-After', after];
  return { status, headers: [...commonHeaders, ...jsonHeaders, ...retry, 'X-Request-Id', requestId], body: JSON.stringify(body) };
}

export function send(response: ServerResponse, { status, headers, body }: ApiResponse): void {
  if (response.destroyed) return;
  response.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
}
