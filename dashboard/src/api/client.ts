import createClient from 'openapi-fetch';
import type { components, paths } from '../../gen/openapi.ts';
import { Problem } from './problem.ts';
import { repeatablePosts } from './repeatable.ts';

export type Schemas = components['schemas'];

/** The REST API, its types from the OpenAPI document. Who is signed in is told by a cookie that no script can read. */
export const api = createClient<paths>({ baseUrl: '/api/v1', credentials: 'same-origin' });
api.use(repeatablePosts);

interface Exchanged<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** What is not a table. */
type Json<T> = Exclude<NonNullable<T>, string>;

/** The JSON of a good answer; throws a `Problem` for any other. */
export async function answer<T>(exchange: Promise<Exchanged<T>>): Promise<Json<T>> {
  return (await tagged(exchange)).body as Json<T>;
}

/** The text/csv of a good answer. */
export async function table(exchange: Promise<Exchanged<string>>): Promise<string> {
  return (await tagged(exchange)).body;
}

/** The body with its ETag, which a later change names so as not to undo somebody else's. */
export async function tagged<T>(exchange: Promise<Exchanged<T>>): Promise<{ readonly body: NonNullable<T>; readonly etag: string }> {
  const { data, error, response } = await exchange.catch((thrown: unknown) => {
    throw Problem.of(thrown);
  });
  if (data === undefined || data === null) throw new Problem(response.status, isEnvelope(error) ? error : {});
  return { body: data, etag: response.headers.get('etag') ?? '*' };
}

const isEnvelope = (error: unknown): error is { error: string } => typeof error === 'object' && error !== null && 'error' in error;
