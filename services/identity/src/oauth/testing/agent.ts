import { hash, randomBytes, randomUUID } from 'node:crypto';

export const origin = 'http://localhost:4400';
export const mcp = `${origin}/api/mcp`;
export const rest = `${origin}/api/v1`;
export const redirectUri = 'https://agent.example/callback';

interface Metadata {
  readonly redirect_uris?: unknown;
  readonly [field: string]: unknown;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

/** A browser with a person in it, and the agent that the person connects. Requests may go to any replica. */
export class Agent {
  /** Its address, as the gateway states it. */
  network = randomUUID();
  readonly verifier = randomBytes(32).toString('base64url');
  readonly cookies = new Map<string, string>();
  clientId = '';
  /** The port of the replica that gets the next request. */
  port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** Sends a request with the browser's cookies; never follows redirects. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-webkiln-client-address': this.network, ...(cookie !== '' && { cookie }), ...(init.headers as object) };
    const response = await fetch(`http://127.0.0.1:${this.port}${path.replace(origin, '')}`, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';', 1);
      const at = pair.indexOf('=');
      if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(set)) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  post(path: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send(path, { method: 'POST', body: new URLSearchParams(form), headers });
  }

  /** Registers the agent as a public client, or as `metadata` says. */
  async register(metadata: Metadata = {}): Promise<Response> {
    const body = { client_name: 'Test agent', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', ...metadata };
    const response = await this.send('/oauth/register', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (response.status === 201) this.clientId = ((await response.clone().json()) as { client_id: string }).client_id;
    return response;
  }

  /** Opens the authorization endpoint, as the agent's link does; null leaves a parameter out. */
  authorize(changes: Readonly<Record<string, string | null>> = {}): Promise<Response> {
    const challenge = hash('sha256', this.verifier, 'base64url');
    const parameters = {
      ...{ response_type: 'code', client_id: this.clientId, redirect_uri: redirectUri, state: 'the state', resource: mcp },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', ...changes },
    };
    const sent = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
    return this.send(`/oauth/authorize?${new URLSearchParams(sent)}`);
  }

  /** Opens the page that an authorization request leads to; returns its path and its HTML. */
  async openPage(changes?: Readonly<Record<string, string | null>>): Promise<{ path: string; html: string; response: Response }> {
    const redirected = await this.authorize(changes);
    const path = redirected.headers.get('location') ?? '';
    if (!path.startsWith('/oauth/interaction/')) throw new Error(`no page, but ${redirected.status} ${path} ${await redirected.text()}`);
    return this.reload(path);
  }

  async reload(path: string): Promise<{ path: string; html: string; response: Response }> {
    const response = await this.send(path);
    return { path, html: await response.clone().text(), response };
  }

  /** Submits a form of a page with its token. */
  submit({ path, html }: { path: string; html: string }, form: Readonly<Record<string, string>>): Promise<Response> {
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    return this.post(path, { token, ...form }, { 'sec-fetch-site': 'same-origin' });
  }

  /** Signs in on the page and returns the page that follows. */
  async signIn(page: { path: string; html: string }, email: string, password: string) {
    const answered = await this.submit(page, { step: 'sign-in', email, password });
    if (answered.status !== 303) throw new Error(`${answered.status} ${await answered.text()}`);
    return this.reload(answered.headers.get('location') ?? '');
  }

  /** Follows the redirects of our own until one leads to the agent; returns its address. */
  async follow(response: Response): Promise<URL> {
    let location = response.headers.get('location') ?? '';
    while (location.startsWith('/') || location.startsWith(origin)) location = (await this.send(location)).headers.get('location') ?? '';
    return new URL(location);
  }

  /**
   * Allows the agent on a consent page, for its first organization or the given one; returns the callback's address.
   */
  async allow(page: { path: string; html: string }, membership = firstChoice(page.html)): Promise<URL> {
    return this.follow(await this.submit(page, { step: 'decide', decision: 'allow', membership }));
  }

  exchange(
    code: string,
    changes: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: this.clientId,
      code_verifier: this.verifier,
    };
    return this.post('/oauth/token', { ...form, ...changes }, headers);
  }

  refresh(refresh_token: string, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id: this.clientId, ...changes });
  }

  /** The whole way: registration, sign-in, consent; returns the code. */
  async code(email: string, password: string, changes?: Readonly<Record<string, string | null>>): Promise<string> {
    if (this.clientId === '') await this.register();
    const page = await this.openPage(changes);
    const consent = page.html.includes('name="password"') ? await this.signIn(page, email, password) : page;
    return (await this.allow(consent)).searchParams.get('code') ?? '';
  }

  async connect(email: string, password: string): Promise<Tokens> {
    return tokensOf(await this.exchange(await this.code(email, password)));
  }
}

const firstChoice = (html: string) => /name="membership" value="([^"]+)"/.exec(html)?.[1] ?? '';

export async function tokensOf(response: Response): Promise<Tokens> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Tokens;
}

/** Status and `error` of an error response (RFC 6749 §5.2). */
export const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error?: string }).error];
