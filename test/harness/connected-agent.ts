import { hash, randomBytes } from 'node:crypto';
import { Api, someAddress } from './api.ts';
import type { Person } from './person.ts';

/** The address at which the agents of tests take their code. */
export const agentCallback = 'https://agent.example/callback';

/** An agent that a person has let act for it, by OAuth. */
export interface ConnectedAgent {
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The REST API with its access token. */
  readonly api: Api;
  /** Sends a form to an endpoint of the authorization server. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<Response>;
}

/** Registers an agent from a network of its own; returns its client id. */
export async function registerAgent(origin: string, client_name = 'Test agent', redirectUri = agentCallback): Promise<string> {
  const body = JSON.stringify({ client_name, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' });
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': someAddress() };
  const response = await fetch(`${origin}/oauth/register`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`the agent was not registered: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { client_id: string }).client_id;
}

/** The id of the project or client that an agent is limited to, by the name of its field. */
type Limit = { readonly project?: string } | { readonly client?: string };

/** A PKCE pair (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
}

/**
 * Opens the page of an authorization request in the browser of a signed-in person, and allows the agent, within
 * `limit`. Returns the agent's address with the code.
 */
export async function allowAgent(person: Person, request: string, limit: Limit = {}): Promise<URL> {
  const cookies = new Map(person.cookies);
  /** Sends a request of the person's browser, which does not follow redirects. */
  async function browse(page: URL, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = form === undefined ? {} : { method: 'POST', body: form };
    const headers = { cookie, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': person.address };
    const response = await fetch(page, { ...sent, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) cookies.set(set.split('=', 1)[0] ?? '', /=([^;]*)/.exec(set)?.[1] ?? '');
    return response;
  }
  const { origin } = new URL(request);
  const next = (response: Response) => new URL(response.headers.get('location') ?? '', origin);
  const page = next(await browse(new URL(request)));
  const html = await (await browse(page)).text();
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? '';
  const allowed = new URLSearchParams({ token: field('token'), step: 'decide', decision: 'allow', membership: field('membership') });
  for (const [, scope = ''] of html.matchAll(/name="scope" value="([^"]+)"/g)) allowed.append('scope', scope);
  for (const [kind, id] of Object.entries(limit)) {
    allowed.append('reach', kind);
    allowed.append(kind, id);
  }
  const decided = await browse(page, allowed);
  return next(await browse(new URL(next(decided).pathname, origin)));
}

/**
 * Registers an agent, and allows it in the browser of a signed-in person. `gateway` is the one that everything goes to.
 */
export async function connectedAgent(
  person: Person,
  { resource, gateway = 0, scope, limit }: { resource?: string; gateway?: number; scope?: string; limit?: Limit } = {},
): Promise<ConnectedAgent> {
  const origin = person.platform.origins[gateway] ?? '';
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(form), headers: { 'x-forwarded-for': person.address } });

  const clientId = await registerAgent(origin);
  const { verifier, challenge } = pkce();
  const request = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: agentCallback,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  };
  const callback = await allowAgent(person, `${origin}/oauth/authorize?${new URLSearchParams(request)}`, limit);
  const code = callback.searchParams.get('code') ?? '';
  const exchanged = await post('/oauth/token', {
    ...{ grant_type: 'authorization_code', code, redirect_uri: agentCallback, client_id: clientId, code_verifier: verifier },
  });
  if (exchanged.status !== 200) throw new Error(`no tokens: ${exchanged.status} ${await exchanged.text()}`);
  const { access_token, refresh_token } = (await exchanged.json()) as { access_token: string; refresh_token: string };
  const api = new Api(`${origin}/api/v1`, access_token, { 'x-forwarded-for': person.address });
  return { clientId, accessToken: access_token, refreshToken: refresh_token, api, post };
}
