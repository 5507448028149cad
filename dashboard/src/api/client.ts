import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../gen/openapi.ts';
import { takeEarly } from './early-answers.ts';
import { Problem } from './problem.ts';

/** Idempotency keys of POSTs without a final response yet, by URL and body. */
const pendingKeys = new Map<string, string>();
const fingerprints = new WeakMap<Request, string>();

/**
 * Adds an Idempotency-Key to each POST. A repeated request reuses the key until a response below 500 arrives, so that
 * retrying is safe.
 */
const idempotencyKeys: Middleware = {
  async onRequest({ request }) {
    if (request.method !== 'POST') return;
    const fingerprint = `${request.url} ${await request.clone().text()}`;
    const key = pendingKeys.get(fingerprint) ?? crypto.randomUUID();
    pendingKeys.set(fingerprint, key);
    request.headers.set('Idempotency-Key', key);
    fingerprints.set(request, fingerprint);
  },
  onResponse({ request, response }) {
    const fingerprint = fingerprints.get(request);
    if (fingerprint !== undefined && response.status < 500) pendingKeys.delete(fingerprint);
  },
};

export type Schemas = components['schemas'];

/** The REST API, typed by the OpenAPI document. The session is an HttpOnly cookie. */
export const api = createClient<paths>({ baseUrl: '/api/v1', credentials: 'same-origin' });
api.use(idempotencyKeys, { onRequest: ({ request }) => (request.method === 'GET' ? takeEarly(request.url) : undefined) });

interface FetchResult<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** JSON responses are objects; a string is CSV. */
type Json<T> = Exclude<NonNullable<T>, string>;

/** The JSON of a successful response. Throws a `Problem` otherwise. */
export async function readJson<T>(pending: Promise<FetchResult<T>>): Promise<Json<T>> {
  return (await readWithEtag(pending)).body as Json<T>;
}

/** The text/csv of a successful response. Throws a `Problem` otherwise. */
export async function readCsv(pending: Promise<FetchResult<string>>): Promise<string> {
  return (await readWithEtag(pending)).body;
}

/** The body with its ETag, for `If-Match` of a later change. Throws a `Problem` otherwise. */
export async function readWithEtag<T>(pending: Promise<FetchResult<T>>): Promise<{ readonly body: NonNullable<T>; readonly etag: string }> {
  const { data, error, response } = await pending.catch((thrown: unknown) => {
    throw Problem.of(thrown);
  });
  if (data === undefined || data === null) throw await Problem.answered(response.status, isEnvelope(error) ? error : {});
  return { body: data, etag: response.headers.get('etag') ?? '*' };
}

const isEnvelope = (error: unknown): error is { error: string } => typeof error === 'object' && error !== null && 'error' in error;
