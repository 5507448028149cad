import { hash, randomBytes } from 'node:crypto';
import { Browser, origin, type Page } from './browser.ts';

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

/** An agent, and the browser of the person who connects it. */
export class Agent extends Browser {
  readonly verifier = randomBytes(32).toString('base64url');
  clientId = '';

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
  async openPage(changes?: Readonly<Record<string, string | null>>): Promise<Page & { response: Response }> {
    const redirected = await this.authorize(changes);
    const path = redirected.headers.get('location') ?? '';
    if (!path.startsWith('/oauth/interaction/')) throw new Error(`no page, but ${redirected.status} ${path} ${await redirected.text()}`);
    return this.reload(path);
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

export async function tokensOf(response: Response): Promise<Tokens> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Tokens;
}

/** Status and `error` of an error response (RFC 6749 §5.2). */
export const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error?: string }).error];
