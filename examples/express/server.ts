/**
 * A small product of an agency that shows the builder to its users: `npm install express`, then `node server.ts` with
 * WEBKILN_ORIGIN, WEBKILN_EMBED_CLIENT_ID and WEBKILN_EMBED_CLIENT_SECRET in the environment. Name its own origin,
 * http://127.0.0.1:3000, among the embed client's allowed origins.
 */
import { readFileSync } from 'node:fs';
import express, { type Express } from 'express';

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

/** The product's server; it does not listen yet. */
export function agencyServer({ origin, clientId, clientSecret }: Settings): Express {
  const app = express();
  app.get('/', (_request, response) => response.type('html').send(page.replaceAll('WEBKILN_ORIGIN', origin)));
  // A form of another site cannot send JSON: it cannot open sessions in this user's name.
  app.post('/builder', express.json(), async (request, response) => {
    if (!request.is('application/json')) return response.status(415).json({ error: 'Send JSON.' });
    const { prompt } = request.body as { prompt?: string };
    try {
      const session = await fetch(`${origin}/api/embed/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        // Without a prompt: the project that the user opened last.
        body: JSON.stringify({ ...signedInUser, ...(prompt && { prompt }) }),
        signal: AbortSignal.timeout(15_000),
      });
      const body = (await session.json()) as { builder_url?: string; error?: string };
      if (session.status === 201) return response.status(201).json({ builder_url: body.builder_url });
      return response.status(502).json({ error: `The builder cannot be opened: ${body.error}` });
    } catch (error) {
      console.error('session not opened', error);
      return response.status(502).json({ error: 'The builder cannot be reached. Try again in a moment.' });
    }
  });
  return app;
}

if (import.meta.main) {
  const { WEBKILN_ORIGIN: origin = 'http://localhost:8080', PORT = '3000' } = process.env;
  const { WEBKILN_EMBED_CLIENT_ID: clientId, WEBKILN_EMBED_CLIENT_SECRET: clientSecret } = process.env;
  if (!clientId || !clientSecret) throw new Error('Set WEBKILN_EMBED_CLIENT_ID and WEBKILN_EMBED_CLIENT_SECRET.');
  const app = agencyServer({ origin, clientId, clientSecret });
  app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`));
}
