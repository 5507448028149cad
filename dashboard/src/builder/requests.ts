import { takeEarly } from '../api/early-answers.ts';
import { crowded, Problem } from '../api/problem.ts';
import { credentialOf, isEmbedded } from './credential.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Called when the API no longer knows the credential. */
let onRefused = () => {};
export const whenRefused = (react: () => void) => {
  onRefused = react;
};

const secondMs = 1000;
const firstRetryMs = 500;
const maxRetryMs = 8000;

/** True if the same request may succeed later: no answer arrived, or a part of the platform is away or crowded. */
export function isPassing(error: unknown): boolean {
  const { status, code } = Problem.of(error);
  return status === 0 || status >= 500 || code === crowded;
}

/** The wait after so many failures before: longer each time, and never shorter than the API asks for. */
export const retryDelayMs = (failures: number, error: unknown): number =>
  Math.max(Math.min(firstRetryMs * 2 ** failures, maxRetryMs), Problem.of(error).retryAfterMs);

/** `fetch` below /api/v1 with the user's credential. Throws a `Problem` unless the answer is a success. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const { headers, credentials } = credentialOf();
  const own = Object.fromEntries(new Headers(init.headers).entries());
  let response: Response;
  try {
    const url = `${location.origin}/api/v1${path}`;
    const early = init.method === 'GET' && !isEmbedded() ? await takeEarly(url) : undefined;
    response = early ?? (await fetch(url, { ...init, credentials, headers: { ...own, ...headers } }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw Problem.of(error);
  }
  if (response.ok) return response;
  if (response.status === 401) onRefused();
  const retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * secondMs || 0;
  throw new Problem(response.status, await response.json().catch(() => ({})), retryAfterMs);
}

/** The JSON of an operation's answer. A POST has an Idempotency-Key of its own. */
export async function request<T>(method: Method, path: string, body?: object): Promise<T> {
  const isPost = method === 'POST';
  const headers = { ...(body && { 'Content-Type': 'application/json' }), ...(isPost && { 'Idempotency-Key': crypto.randomUUID() }) };
  const response = await send(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
}
