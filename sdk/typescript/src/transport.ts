import { type Answer, Call, Page, PageCall } from './call.ts';
import { ChatCall, ChatStream } from './chat-stream.ts';
import { ApiError, ConnectionError, TimeoutError } from './errors.ts';
import { pause, RateLimit, waitBeforeRetry } from './waiting.ts';

export interface CallOptions {
  /** Ends the call, its retries and the reading of its answer. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take. */
  readonly timeout?: number | undefined;
  /** How often a failed attempt is repeated. */
  readonly maxRetries?: number | undefined;
  /** A POST with the same key is done once; by default each call has its own. */
  readonly idempotencyKey?: string | undefined;
  /** The ETag of the state to change: if the record has changed since, the call fails with `edited_meanwhile`. */
  readonly ifMatch?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TransportSettings {
  readonly apiKey: string;
  /** Ends in /api/v1. */
  readonly baseUrl: string;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: object | undefined;
  /** An object is sent as JSON, a blob as a zip, and a function makes the stream of each attempt, of JSON too. */
  readonly body?: object | undefined;
}

type Read<T> = (response: Response) => Promise<T>;

/** Sends requests: with the credential, a time limit, retries, and one Idempotency-Key for all attempts of a POST. */
export class Transport {
  readonly settings: TransportSettings;
  readonly rateLimit = new RateLimit();

  constructor(settings: TransportSettings) {
    this.settings = settings;
  }

  /** The JSON of an answer, or what it has in the field. */
  json<T>(request: Request, options?: CallOptions, field?: string): Call<T> {
    const read = async (response: Response) => {
      const body = response.status === 204 ? undefined : await jsonOf(response);
      return (field === undefined ? body : body?.[field]) as T;
    };
    return new Call(this.send(request, options, read));
  }

  file(request: Request, options?: CallOptions): Call<Blob> {
    return new Call(this.send(request, options, (response) => response.blob()));
  }

  /** Deletes a record. One that a lost attempt had deleted is not there for the next, which is what was wanted. */
  remove(request: Request, options: CallOptions = {}): Call<void> {
    const headers = { prefer: 'return=minimal', ...options.headers };
    return new Call(this.send(request, { ...options, headers }, async (response) => void (await response.body?.cancel()), true));
  }

  /** A page of the records that the answer has in the field. */
  page<T>(request: Request, options: CallOptions | undefined, field: string): PageCall<T> {
    const query = { limit: 100, ...request.query };
    return new PageCall(this.#page({ ...request, query }, options, field));
  }

  chat(request: Request, options: CallOptions = {}): ChatCall {
    const resume = (lastId: string | undefined) => {
      const path = `${request.path.replace(/\/stream$/, '')}/stream`;
      const headers = { ...options.headers, ...(lastId !== undefined && { 'last-event-id': lastId }) };
      const again = { ...options, headers };
      return this.send({ method: 'GET', path }, again, async ({ body }) => body).then(({ data }) => data);
    };
    const read = async ({ body }: Response) => new ChatStream(body, resume, this.settings.maxRetries, options.signal);
    return new ChatCall(this.send(request, options, read));
  }

  async #page<T>(request: Request, options: CallOptions | undefined, field: string): Promise<Answer<Page<T>>> {
    const { data, response } = await this.send(request, options, jsonOf);
    const link = /<([^>]*)>; rel="?next"?/.exec(response.headers.get('link') ?? '')?.[1];
    // Only what it asks for: a key never goes to an address that came in an answer.
    const query = link === undefined ? undefined : Object.fromEntries(new URL(link, this.settings.baseUrl).searchParams);
    const next = query && (async () => (await this.#page<T>({ ...request, query }, options, field)).data);
    return { data: new Page(data[field] as T[], data.total as number | undefined, next), response };
  }

  /** Repeats attempts that failed for a reason which passes. `isRemoval`: after a lost answer 404 is a success. */
  async send<T>(request: Request, options: CallOptions = {}, read: Read<T>, isRemoval = false): Promise<Answer<T>> {
    const { maxRetries = this.settings.maxRetries, signal, ifMatch } = options;
    const idempotencyKey = options.idempotencyKey ?? (request.method === 'POST' ? crypto.randomUUID() : undefined);
    let isAnswerLost = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(request, { ...options, idempotencyKey }, read);
      } catch (error) {
        signal?.throwIfAborted();
        if (isRemoval && isAnswerLost && error instanceof ApiError && error.status === 404) {
          return { data: undefined as T, response: new Response(null, { status: 204 }) };
        }
        isAnswerLost ||= !(error instanceof ApiError) || error.status >= 500;
        // What was done by a lost attempt would look like somebody else's change to the next.
        const waitMs = attempt < maxRetries && !(isAnswerLost && ifMatch) ? waitBeforeRetry(error, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(waitMs, signal);
      }
    }
  }

  async #attempt<T>(request: Request, options: CallOptions, read: Read<T>): Promise<Answer<T>> {
    const { timeout = this.settings.timeout, signal } = options;
    await this.rateLimit.wait(signal);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    const either = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    try {
      const response = await this.settings.fetch(this.#url(request), { ...this.#init(request, options), signal: either });
      this.rateLimit.note(response.headers);
      if (!response.ok) throw await ApiError.of(response);
      return { data: await read(response), response };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      signal?.throwIfAborted();
      if (late.signal.aborted) throw new TimeoutError(`No answer within ${timeout} ms.`, { cause: error });
      throw new ConnectionError(`${new URL(this.settings.baseUrl).origin} gave no whole answer: ${reasonOf(error)}.`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #url({ path, query = {} }: Request): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
    return `${this.settings.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
  }

  #init({ method, body }: Request, { idempotencyKey, ifMatch, headers }: CallOptions): RequestInit {
    return {
      method,
      headers: {
        ...(this.settings.apiKey !== '' && { authorization: `Bearer ${this.settings.apiKey}` }),
        ...(body !== undefined && { 'content-type': body instanceof Blob ? 'application/zip' : 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...headers,
      },
      ...bodyOf(body),
    };
  }
}

const jsonOf = (response: Response) => response.json() as Promise<Record<string, unknown>>;

function bodyOf(body: Request['body']): RequestInit {
  if (body === undefined) return {};
  if (body instanceof Blob) return { body };
  // Node sends a stream only with this word.
  if (typeof body === 'function') return { body: body(), duplex: 'half' } as RequestInit;
  return { body: JSON.stringify(body) };
}

/** fetch itself only says that it failed. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? (error as Error).message;
}
