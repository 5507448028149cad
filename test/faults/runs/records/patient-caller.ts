import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Api } from '../../harness/api.ts';

const attemptMs = 12_000;
const patienceMs = 300_000;
const reconnectMs = 200;

/** A POST or PATCH as it goes out. */
export interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the API as its documentation tells: an Idempotency-Key on each POST; 5xx, 429 and lost connections are repeated. */
export class PatientCaller {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  post(path: string, body: object): Promise<Answer> {
    return this.untilAnswered({ method: 'POST', path, body, headers: { 'idempotency-key': randomUUID() } });
  }

  patch(path: string, body: object): Promise<Answer> {
    return this.untilAnswered({ method: 'PATCH', path, body });
  }

  /** Throws when the patience of a caller ends. */
  async untilAnswered(write: Write): Promise<Answer> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const answer = await attempt(this.#api, write, AbortSignal.timeout(attemptMs));
      if (answer !== undefined && !mayBeRepeated(answer)) return answer;
      if (performance.now() > deadline)
        throw new Error(`${write.method} ${write.path}: no answer in ${patienceMs} ms, last ${answer?.status}`);
      await pause(answer === undefined ? reconnectMs : Number(answer.headers.get('retry-after') ?? 1) * 1000);
    }
  }
}

const mayBeRepeated = ({ status, body }: Answer) => status >= 500 || status === 429 || body?.code === 'request_in_flight';

/** Sends it once; undefined when the connection was lost, or nobody answered. */
export async function attempt(api: Api, { method, path, body, headers }: Write, signal?: AbortSignal): Promise<Answer | undefined> {
  const init = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers }, signal };
  try {
    return await api.send(path, init);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return undefined;
  }
}
