/**
 * A small product of an agency that shows the builder to its users. It needs Node 24 alone: `node server.ts`, with
 * WEBKILN_ORIGIN, WEBKILN_EMBED_CLIENT_ID and WEBKILN_EMBED_CLIENT_SECRET in the environment. Name its own origin,
 * http://127.0.0.1:3000, among the embed client's allowed origins.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

interface Settings {
  /** The platform: https://webkiln.example. */
  readonly origin: string;
  readonly clientId: string;
  /** Stays on this server: pages get tokens of one user only. */
  readonly clientSecret: string;
}

/** In a real product: whoever is signed in. The id is yours and never changes; the email is a client's, or left out. */
const signedInUser = { user_id: 'rosa', email: 'rosa@harbourbakery.example', name: 'Rosa Marini' };

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');

/** Opens a session for the user who is signed in; answers what the platform answered. */
async function openSession({ origin, clientId, clientSecret }: Settings, request: IncomingMessage): Promise<Response> {
  const { prompt } = JSON.parse(await text(request)) as { prompt?: string };
  return fetch(`${origin}/api/embed/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    // Without a prompt: the project that the user opened last.
    body: JSON.stringify({ ...signedInUser, ...(prompt && { prompt }) }),
    signal: AbortSignal.timeout(15_000),
  });
}

/** The product's server; it does not listen yet. */
export function agencyServer(settings: Settings): Server {
  return createServer(async (request, response) => {
    const send = (status: number, type: string, body: string) => response.writeHead(status, { 'content-type': type }).end(body);
    const json = (status: number, body: object) => send(status, 'application/json', JSON.stringify(body));
    try {
      if (request.method === 'GET' && request.url === '/')
        return send(200, 'text/html; charset=utf-8', page.replaceAll('WEBKILN_ORIGIN', settings.origin));
      // A form of another site cannot send JSON: it cannot open sessions in this user's name.
      if (request.method !== 'POST' || request.url !== '/builder' || request.headers['content-type'] !== 'application/json')
        return json(404, { error: 'There is nothing here.' });
      const session = await openSession(settings, request);
      const body = (await session.json()) as { builder_url?: string; error?: string };
      if (session.status === 201) json(201, { builder_url: body.builder_url });
      else json(502, { error: `The builder cannot be opened: ${body.error}` });
    } catch (error) {
      console.error('session not opened', error);
      json(502, { error: 'The builder cannot be reached. Try again in a moment.' });
    }
  });
}

if (import.meta.main) {
  const { WEBKILN_ORIGIN: origin = 'http://localhost:8080', PORT = '3000' } = process.env;
  const { WEBKILN_EMBED_CLIENT_ID: clientId, WEBKILN_EMBED_CLIENT_SECRET: clientSecret } = process.env;
  if (!clientId || !clientSecret) throw new Error('Set WEBKILN_EMBED_CLIENT_ID and WEBKILN_EMBED_CLIENT_SECRET.');
  const server = agencyServer({ origin, clientId, clientSecret });
  server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`));
}
