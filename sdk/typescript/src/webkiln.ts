import { Resources } from '../gen/resources.ts';
import type { Call } from './call.ts';
import { WebkilnError } from './errors.ts';
import { type CallOptions, type Request, Transport } from './transport.ts';

export interface WebkilnOptions {
  /** An API key, an embed token or an OAuth access token; by default what WEBKILN_API_KEY has. */
  readonly apiKey?: string | undefined;
  /** The address of the platform; by default what WEBKILN_BASE_URL has, else http://localhost:8080. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds that one attempt may take, 60,000 by default. */
  readonly timeout?: number;
  /** How often a call is repeated that failed for a reason which passes, twice by default. */
  readonly maxRetries?: number;
  /** What sends requests, instead of the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
}

const environment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};

/** The Webkiln API. Its members are the operations, by what they are about: `webkiln.clients.create({ email })`. */
export class Webkiln extends Resources {
  readonly #transport: Transport;

  constructor({ apiKey, baseUrl, timeout = 60_000, maxRetries = 2, fetch: send }: WebkilnOptions = {}) {
    const { WEBKILN_API_KEY, WEBKILN_BASE_URL } = environment();
    const key = apiKey ?? WEBKILN_API_KEY;
    if (!key) throw new WebkilnError('Give an apiKey, or set WEBKILN_API_KEY.');
    const given = baseUrl ?? WEBKILN_BASE_URL ?? 'http://localhost:8080';
    const address = given.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    const transport = new Transport({
      apiKey: key,
      baseUrl: `${address}/api/v1`,
      timeout,
      maxRetries,
      // Some runtimes refuse a fetch that is called as a method of something else.
      fetch: send ?? ((...sent) => fetch(...sent)),
    });
    super(transport);
    this.#transport = transport;
  }

  /** What the latest answer said of the key's rate limit: calls wait by themselves when nothing is left. */
  get rateLimit(): { readonly limit: number | undefined; readonly remaining: number | undefined } {
    return this.#transport.rateLimit;
  }

  /** Calls an operation that this version of the package has no method for; resolves to its JSON. */
  request<T>(request: Request, options?: CallOptions): Call<T> {
    return this.#transport.json<T>(request, options);
  }
}
