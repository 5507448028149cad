import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Api, ApiResponse } from '../../../harness/api.ts';

const attemptTimeoutMs = 12_000;
const timeoutMs = 300_000;
const reconnectDelayMs = 200;

/** A POST or PATCH request. */
export interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Calls the API as documented: each POST has an Idempotency-Key; 503, 429 and lost connections are retried. A 500, or a
 * 503 without Retry-After, is a final answer, which no test expects: parts that are away do not cause it.
 */
export class RetryingCaller {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  post(path: string, body: object): Promise<ApiResponse> {
    return this.untilAnswered({ method: 'POST', path, body, headers: { 'idempotency-key': randomUUID() } });
  }

  patch(path: string, body: object): Promise<ApiResponse> {
    return this.untilAnswered({ method: 'PATCH', path, body });
  }

  /** Retries until a final answer. Throws after five minutes. */
  async untilAnswered(write: Write): Promise<ApiResponse> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const answer = await attempt(this.#api, write, AbortSignal.timeout(attemptTimeoutMs));
      if (answer !== undefined && !isRetryable(answer)) return answer;
      if (performance.now() > deadline)
        throw new Error(`${write.method} ${write.path}: no answer in ${timeoutMs} ms, last ${answer?.status}`);
      await pause(answer === undefined ? reconnectDelayMs : Number(answer.headers.get('retry-after') ?? 1) * 1000);
    }
  }
}

const isRetryable = ({ status, headers, body }: ApiResponse) =>
  (status === 503 && headers.has('retry-after')) || status === 429 || body?.code === 'request_in_flight';

/** Sends the request once. Returns undefined if the connection was lost or timed out. */
export async function attempt(api: Api, { method, path, body, headers }: Write, signal?: AbortSignal): Promise<ApiResponse | undefined> {
  const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers }, signal };
  try {
    return await api.send(path, init);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return undefined;
  }
}
