import { randomInt } from 'node:crypto';

/** A client address of its own: requests without a valid credential count on the limit of their address. */
export const someAddress = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** An untyped JSON body, whose shape the test asserts. */
export type Json = ReturnType<typeof JSON.parse>;

/** A response of the API. `body` is the parsed JSON, undefined if the body is empty. */
export class ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;

  constructor(status: number, headers: Headers, text: string) {
    this.status = status;
    this.headers = headers;
    this.body = text === '' ? undefined : JSON.parse(text);
  }

  /** Returns this response if it has the status (and the error code); throws what came instead otherwise. */
  expect(status: number, code?: string): this {
    if (this.status !== status || (code !== undefined && this.body?.code !== code)) {
      throw new Error(`expected ${status}${code === undefined ? '' : ` ${code}`}, got ${this.status} ${JSON.stringify(this.body)}`);
    }
    return this;
  }
}

/** Longer than any deadline of the platform: whatever takes longer hangs. */
const answerTimeoutMs = 150_000;

type Extra = Readonly<Record<string, string>>;

/**
 * A client of the REST API with one key, as an agency's program is, at an address of its own; `defaultHeaders` go with
 * every request.
 */
export class Api {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly #defaultHeaders: Extra;

  constructor(baseUrl: string, key?: string, defaultHeaders: Extra = {}) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.#defaultHeaders = { 'x-forwarded-for': someAddress(), ...defaultHeaders };
  }

  /** Sends a request with the credential and the default headers; returns the unread response. */
  raw(path: string, init: RequestInit = {}): Promise<Response> {
    const credential = this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
    const headers = { ...credential, ...this.#defaultHeaders, ...(init.headers as Extra) };
    return fetch(`${this.baseUrl}${path}`, { signal: AbortSignal.timeout(answerTimeoutMs), ...init, headers });
  }

  get(path: string, headers: Extra = {}): Promise<ApiResponse> {
    return this.send(path, { headers });
  }

  /** Sends no content type if there is no body. */
  post(path: string, body?: unknown, headers: Extra = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'POST', ...withJson(body, headers) });
  }

  patch(path: string, body: unknown, headers: Extra = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'PATCH', ...withJson(body, headers) });
  }

  put(path: string, body: unknown, headers: Extra = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'PUT', ...withJson(body, headers) });
  }

  delete(path: string, headers: Extra = {}): Promise<ApiResponse> {
    return this.send(path, { method: 'DELETE', headers });
  }

  async send(path: string, init: RequestInit): Promise<ApiResponse> {
    try {
      const response = await this.raw(path, init);
      return new ApiResponse(response.status, response.headers, await response.text());
    } catch (error) {
      throw new Error(`${init.method ?? 'GET'} ${path}: ${error}`, { cause: error });
    }
  }
}

const withJson = (body: unknown, headers: Extra) =>
  body === undefined ? { headers } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
