import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, RequestRecord } from '../controls.ts';
import { internalError, invalidRequest, rateLimited, StripeFailure } from '../errors.ts';
import { apiVersion, newId, type State } from '../state.ts';
import { accountRoutes } from './account-routes.ts';
import { paymentRoutes } from './payment-routes.ts';
import type { Route } from './route.ts';
import { decodeForm, expanded, parseParams } from './wire.ts';

/** Every operation of the API that the server has. */
export const routes: readonly Route[] = [...accountRoutes, ...paymentRoutes];

const routesBySegments = routes.map((route) => ({ route, segments: route.path.split('/') }));

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** The body, or the query of a GET. */
  readonly form: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The first request with an idempotency key; `answer` is undefined while it is in progress. */
interface KeyedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly form: string;
  readonly atMs: number;
  answer?: Pick<ApiAnswer, 'status' | 'body'>;
}

/** Stripe forgets keys after a day: the next request with the key acts again. */
const keyLifetimeMs = 86_400_000;
const maxKeyLength = 255;

/** Stripe's REST API over the state. */
export class Api {
  readonly requests: RequestRecord[] = [];
  readonly faults: Fault[] = [];
  delayMs = 0;
  readonly #state: State;
  readonly #keyed = new Map<string, KeyedRequest>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The answer to a request, or undefined if the connection is to be cut. */
  async answer(request: ApiRequest): Promise<ApiAnswer | undefined> {
    const { method, path, form } = request;
    const params = decodeForm(form);
    const idempotencyKey = header(request, 'idempotency-key');
    const account = header(request, 'stripe-account');
    this.requests.push({ method, path, params, idempotencyKey, account });
    const requestId = newId('req_', 14);
    const headers: Record<string, string> = { 'Request-Id': requestId, 'Stripe-Version': apiVersion };
    if (idempotencyKey !== null) headers['Idempotency-Key'] = idempotencyKey;
    if (account !== null) headers['Stripe-Account'] = account;
    const fault = this.#takeFault(method, path);
    try {
      if (fault?.when === 'before') return lost(fault, headers);
      this.#authenticate(request);
      const { route, ids } = findRoute(method, path);
      if (account !== null) this.#state.account(account);
      const owner = /^\/v1\/account(s|_links)\b/.test(path) ? null : account;
      const parsed = parseParams(route.schema, params);
      const act = () => {
        this.#state.request = { id: requestId, idempotency_key: idempotencyKey };
        try {
          const answer = route.handle({ state: this.#state, owner, params: parsed as never, ids });
          return expanded(this.#state, owner, answer, parsed.expand as string[] | undefined);
        } finally {
          this.#state.request = null;
        }
      };
      const key = method === 'POST' && idempotencyKey !== null ? idempotencyKey : undefined;
      const keyed = key === undefined ? undefined : { key, scope: `${account} ${key}`, requestId, method, path, form };
      const answer = await this.#once(keyed, headers, act);
      return fault === undefined ? answer : lost(fault, headers);
    } catch (error) {
      return { headers, ...refusal(error) };
    }
  }

  #takeFault(method: string, path: string): Fault | undefined {
    const at = this.faults.findIndex((fault) => fault.method === method && idsIn(fault.path.split('/'), path) !== undefined);
    return at < 0 ? undefined : this.faults.splice(at, 1)[0];
  }

  #authenticate(request: ApiRequest): void {
    const [, key] = /^Bearer (.+)$/.exec(header(request, 'authorization') ?? '') ?? [];
    if (key === undefined) {
      const message =
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";
      throw new StripeFailure(401, { type: 'invalid_request_error', message });
    }
    if (key === this.#state.secretKey) return;
    throw new StripeFailure(401, { type: 'invalid_request_error', message: `Invalid API Key provided: ${key.slice(0, 8)}***` });
  }

  /** Acts, unless the key has an answer already. Refusals are kept under the key, too. */
  async #once(
    keyed: (Omit<KeyedRequest, 'atMs'> & { key: string; scope: string }) | undefined,
    headers: Record<string, string>,
    act: () => object,
  ): Promise<ApiAnswer> {
    const run = async () => {
      if (this.delayMs > 0) await sleep(this.delayMs);
      try {
        return { status: 200, body: act() };
      } catch (error) {
        return refusal(error);
      }
    };
    if (keyed === undefined) return { headers, ...(await run()) };
    const { key, scope, ...request } = keyed;
    if (key.length > maxKeyLength) throw invalidRequest(`Idempotency keys can only be up to ${maxKeyLength} characters long.`);
    const first = this.#keyed.get(scope);
    if (first !== undefined && this.#state.nowMs() - first.atMs < keyLifetimeMs) {
      checkSameRequest(key, first, request);
      if (first.answer === undefined) throw keyInUse(key);
      return { headers: { ...headers, 'Idempotent-Replayed': 'true', 'Original-Request': first.requestId }, ...first.answer };
    }
    const stored: KeyedRequest = { ...request, atMs: this.#state.nowMs() };
    this.#keyed.set(scope, stored);
    stored.answer = structuredClone(await run());
    return { headers: { ...headers, 'Original-Request': request.requestId }, ...stored.answer };
  }
}

function header({ headers }: ApiRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What `{…}` stands for in a path, or undefined if the path is another. */
function idsIn(pattern: readonly string[], path: string): string[] | undefined {
  const parts = path.split('/').map(decodeURIComponent);
  const isOpen = (segment: string) => segment.startsWith('{');
  if (parts.length !== pattern.length || !pattern.every((segment, at) => isOpen(segment) || segment === parts[at])) return undefined;
  return parts.filter((_, at) => isOpen(pattern[at] ?? ''));
}

function findRoute(method: string, path: string): { route: Route; ids: string[] } {
  for (const { route, segments } of routesBySegments) {
    const ids = route.method === method ? idsIn(segments, path) : undefined;
    if (ids !== undefined) return { route, ids };
  }
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  throw new StripeFailure(404, { type: 'invalid_request_error', message });
}

function checkSameRequest(key: string, first: KeyedRequest, again: Pick<KeyedRequest, 'method' | 'path' | 'form'>): void {
  const hint = `Try using a key other than '${key}' if you meant to execute a different request.`;
  if (first.method !== again.method || first.path !== again.path) {
    const message = `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${again.path}' vs '${first.path}'). ${hint}`;
    throw new StripeFailure(400, { type: 'idempotency_error', message });
  }
  if (sorted(first.form) === sorted(again.form)) return;
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. ${hint}`;
  throw new StripeFailure(400, { type: 'idempotency_error', message });
}

const sorted = (form: string): string => form.split('&').toSorted().join('&');

const keyInUse = (key: string): StripeFailure =>
  new StripeFailure(409, {
    type: 'invalid_request_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  });

const lost = (fault: Fault, headers: Record<string, string>): ApiAnswer | undefined =>
  fault.how === 'cut' ? undefined : { headers, ...refusal(fault.how === 500 ? internalError() : rateLimited()) };

function refusal(error: unknown): Pick<ApiAnswer, 'status' | 'body'> {
  if (error instanceof StripeFailure) return { status: error.status, body: { error: error.body } };
  console.error(error);
  return refusal(internalError());
}
