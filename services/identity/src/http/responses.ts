import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

const fixed = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];
const json = ['Content-Type', 'application/json; charset=utf-8'];
/** Seconds, by status: the window of tries, or a moment. */
const retryAfter: Readonly<Record<number, string>> = { 429: '600', 503: '2' };

/** Session tokens travel in cookies alone: scripts never see one. */
const hiddenField = 'token';
/** What is shown of a person, whether the library has one or makes one up for an address that is taken. */
const personFields = ['id', 'email', 'name', 'emailVerified', 'twoFactorEnabled'];

/** The library's answer in the form that all our answers have: its errors in our envelope, its cookies and redirects as they are. */
export async function answerOf(response: Response, requestId: string): Promise<Answer> {
  const headers = [...fixed, 'X-Request-Id', requestId];
  for (const cookie of response.headers.getSetCookie()) headers.push('Set-Cookie', cookie);
  const location = response.headers.get('location');
  if (location !== null) headers.push('Location', location);
  if (response.status >= 300 && response.status < 400) return { status: response.status, headers, body: '' };
  const told = (await response.json().catch(() => ({}))) as Record<string, unknown> | null;
  const body = response.status >= 400 ? envelope(response.status, told ?? {}, requestId) : shown(told ?? {});
  return { status: response.status, headers: [...headers, ...json], body: JSON.stringify(body) };
}

function shown({ [hiddenField]: _hidden, user, ...told }: Record<string, unknown>) {
  if (typeof user !== 'object' || user === null) return told;
  const person = user as Record<string, unknown>;
  return { ...told, user: Object.fromEntries(personFields.map((field) => [field, person[field] ?? null])) };
}

function envelope(status: number, { code, message }: Record<string, unknown>, request_id: string) {
  if (status >= 500 || typeof message !== 'string') return { error: new AppError('internal').message, code: 'internal', request_id };
  return { error: /[.!?]$/.test(message) ? message : `${message}.`, code: String(code ?? 'validation_failed').toLowerCase(), request_id };
}

/** An error of ours. */
export function refusal(error: unknown, requestId: string): Answer {
  const { status, message, code, details } = error instanceof AppError ? error : new AppError('internal');
  const body = { error: message, code, ...(details.length > 0 && { details }), request_id: requestId };
  const after = retryAfter[status];
  const retry = after === undefined ? [] : ['Retry-After', after];
  return { status, headers: [...fixed, ...json, ...retry, 'X-Request-Id', requestId], body: JSON.stringify(body) };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
}
