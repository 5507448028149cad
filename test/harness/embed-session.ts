import { randomUUID } from 'node:crypto';
import type { Project } from '@webkiln/contract';
import { Api } from './api.ts';
import type { Person } from './person.ts';
import { sharedPlatform } from './shared-platform.ts';

/** An embed client's id and secret, as its program sends them. */
export interface EmbedPair {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What `POST /api/embed/session` answers, and the API with its token. */
export interface OpenedSession {
  readonly token: string;
  readonly expires_at: string;
  readonly builder_url: string;
  readonly project: Project;
  readonly api: Api;
}

/** Makes an embed client as a member. */
export async function embedPair(
  person: Person,
  allowed_origins: readonly string[] = ['https://app.example.com'],
  caps: object = {},
): Promise<EmbedPair> {
  const { body } = (await person.api.post('/account/embed-clients', { name: 'Portal', allowed_origins, ...caps })).expect(201);
  return { client_id: body.embed_client.id, client_secret: body.secret };
}

/** The bare request, with any body and headers. */
export const requestSession = (body: unknown, headers: Record<string, string> = {}, platform = sharedPlatform()): Promise<Response> =>
  fetch(`${platform.origins[0]}/api/embed/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Opens a session of a user of the program; a new user unless `wanted` names one. */
export async function openEmbedSession(
  pair: EmbedPair,
  wanted: Record<string, unknown> = {},
  headers = {},
  platform = sharedPlatform(),
): Promise<OpenedSession> {
  const response = await requestSession({ ...pair, user_id: randomUUID(), ...wanted }, headers, platform);
  const body = (await response.json()) as Omit<OpenedSession, 'api'>;
  if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(body)}`);
  return { ...body, api: new Api(`${platform.origins[0]}/api/v1`, body.token) };
}
