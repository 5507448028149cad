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

interface EmbedClients {
  readonly embed_clients: readonly { readonly id: string; readonly name: string }[];
}

interface EmbedClientWithSecret {
  readonly embed_client: { readonly id: string };
  readonly secret: string;
}

/** The public REST API as an agency's program uses it, or a page for a member who is signed in. */
export class AgencyApi {
  readonly #baseUrl: string;
  readonly #credential: Readonly<Record<string, string>>;

  constructor(baseUrl: string, credential: string | Readonly<Record<string, string>>) {
    this.#baseUrl = baseUrl;
    this.#credential = typeof credential === 'string' ? { authorization: `Bearer ${credential}` } : credential;
  }

  /** The API at an address of the gateway, as a page of `origin` calls it for the member. */
  static async signedIn(
    address: string,
    origin: string,
    member: { readonly email: string; readonly password: string },
  ): Promise<AgencyApi> {
    const response = await answerOf(`${address}/api/auth/sign-in/email`, member, { origin });
    const cookie = response.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
    return new AgencyApi(`${address}/api/v1`, { cookie: cookie.join('; '), origin });
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

  /**
   * Makes the embed client of the example page, or gives that of an earlier attempt a new secret: what an
   * Idempotency-Key has shown is repeated only to the session that it was shown to.
   */
  async exampleEmbedClient(allowed_origin: string): Promise<{ client_id: string; client_secret: string; allowed_origin: string }> {
    const clients = '/account/embed-clients';
    const wanted = { name: 'Example page', allowed_origins: [allowed_origin] };
    const { embed_clients } = await this.#send<EmbedClients>('GET', clients);
    const made = embed_clients.find(({ name }) => name === wanted.name);
    if (made !== undefined) await this.update(`${clients}/${made.id}`, wanted);
    const { embed_client, secret } = await this.#send<EmbedClientWithSecret>(
      'POST',
      made ? `${clients}/${made.id}/rotate` : clients,
      made ? {} : wanted,
    );
    return { client_id: embed_client.id, client_secret: secret, allowed_origin };
  }

  async #send<Answer>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await answerOf(`${this.#baseUrl}${path}`, body, { ...this.#credential, ...headers }, method);
    return (await response.json()) as Answer;
  }
}

/** Sends JSON until it is answered with success. Throws what a repetition cannot mend. */
function answerOf(url: string, body: object | undefined, headers: Readonly<Record<string, string>>, method = 'POST'): Promise<Response> {
  return retryTemporaryFailures(async () => {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.ok) return response;
    const problem = `${method} ${url} answered ${response.status}: ${await response.text()}`;
    if (!retryableStatuses.has(response.status)) throw new Error(problem);
    throw new RetryableError(problem, 1000 * Number(response.headers.get('retry-after') ?? 1));
  });
}
