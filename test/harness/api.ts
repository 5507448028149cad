/** Bodies of every shape: a test looks into them, and expect() tells when they are wrong. */
export type Json = ReturnType<typeof JSON.parse>;

/** One answer of the API. `body` is the parsed JSON, undefined where there is none. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;

  constructor(status: number, headers: Headers, text: string) {
    this.status = status;
    this.headers = headers;
    this.body = text === '' ? undefined : JSON.parse(text);
  }

  /** This answer, if it has the status (and the error code); otherwise the test fails with what came instead. */
  expect(status: number, code?: string): this {
    if (this.status !== status || (code !== undefined && this.body?.code !== code)) {
      throw new Error(`expected ${status}${code === undefined ? '' : ` ${code}`}, got ${this.status} ${JSON.stringify(this.body)}`);
    }
    return this;
  }
}

type Extra = Readonly<Record<string, string>>;

/** A caller of the REST API with one key, as an agency's program would be; `always` are headers of each request. */
export class Api {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly #always: Extra;

  constructor(baseUrl: string, key?: string, always: Extra = {}) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.#always = always;
  }

  raw(path: string, init: RequestInit = {}): Promise<Response> {
    const credential = this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
    const headers = { ...credential, ...this.#always, ...(init.headers as Extra) };
    return fetch(`${this.baseUrl}${path}`, { ...init, headers });
  }

  get(path: string, headers: Extra = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  /** Without a body nothing is sent, not even a content type. */
  post(path: string, body?: unknown, headers: Extra = {}): Promise<Answer> {
    return this.send(path, { method: 'POST', ...withJson(body, headers) });
  }

  patch(path: string, body: unknown, headers: Extra = {}): Promise<Answer> {
    return this.send(path, { method: 'PATCH', ...withJson(body, headers) });
  }

  delete(path: string, headers: Extra = {}): Promise<Answer> {
    return this.send(path, { method: 'DELETE', headers });
  }

  async send(path: string, init: RequestInit): Promise<Answer> {
    const response = await this.raw(path, init);
    return new Answer(response.status, response.headers, await response.text());
  }
}

const withJson = (body: unknown, headers: Extra) =>
  body === undefined ? { headers } : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
