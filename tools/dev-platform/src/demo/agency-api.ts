import { RetryableError, retryTemporaryFailures } from './retry.ts';

const timeoutMs = 15_000;
const retryableStatuses = new Set([409, 429, 503]);

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The created records, by kind. */
type Made = Record<string, { id?: string }>;

/** The fields of a published project that the demo needs. */
interface Published {
  readonly url: string;
}

/** The public REST API as an agency's program uses it. */
export class AgencyApi {
  readonly #baseUrl: string;
  readonly #key: string;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Creates a "client", "plan", … and returns its id. Repeating a call returns the existing record's id. */
  async create(kind: string, path: string, { name, ...others }: Named): Promise<string> {
    const made = await this.#send<Made>('POST', path, { name, ...others }, { 'idempotency-key': `demo ${kind} ${name}` });
    const { id } = made[kind] ?? {};
    if (id === undefined) throw new Error(`POST ${path} answered without ${kind}.id`);
    return id;
  }

  async update(path: string, changes: object): Promise<void> {
    await this.#send('PATCH', path, changes);
  }

  /** Publishes a project's draft, once, and returns the site's address. */
  async publish(projectId: string): Promise<string> {
    const path = `/projects/${projectId}/publish`;
    return (await this.#send<Published>('POST', path, {}, { 'idempotency-key': `demo publish ${projectId}` })).url;
  }

  #send<Answer>(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return retryTemporaryFailures(async () => {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.ok) return (await response.json()) as Answer;
      const problem = `${method} ${path} answered ${response.status}: ${await response.text()}`;
      if (!retryableStatuses.has(response.status)) throw new Error(problem);
      throw new RetryableError(problem, 1000 * Number(response.headers.get('retry-after') ?? 1));
    });
  }
}
