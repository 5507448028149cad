/** In a real app: whoever is signed in. The id is yours and never changes; the email is a client's, or left out. */
const signedInUser = { user_id: 'rosa', email: 'rosa@harbourbakery.example', name: 'Rosa Marini' };

/** Opens a session of the builder. The secret stays on this server: pages get tokens of one user only. */
export async function POST(request: Request): Promise<Response> {
  // A form of another site cannot send JSON: it cannot open sessions in this user's name.
  if (request.headers.get('content-type') !== 'application/json') return Response.json({ error: 'Send JSON.' }, { status: 415 });
  const { WEBKILN_ORIGIN = 'http://localhost:8080', WEBKILN_EMBED_CLIENT_ID, WEBKILN_EMBED_CLIENT_SECRET } = process.env;
  const { prompt } = (await request.json()) as { prompt?: string };
  const session = await fetch(`${WEBKILN_ORIGIN}/api/embed/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${WEBKILN_EMBED_CLIENT_ID}:${WEBKILN_EMBED_CLIENT_SECRET}`)}`,
    },
    // Without a prompt: the project that the user opened last.
    body: JSON.stringify({ ...signedInUser, ...(prompt && { prompt }) }),
    signal: AbortSignal.timeout(15_000),
  }).catch(() => undefined);
  if (session === undefined) return Response.json({ error: 'The builder cannot be reached. Try again in a moment.' }, { status: 502 });
  const { builder_url, error } = (await session.json()) as { builder_url?: string; error?: string };
  if (session.status !== 201) return Response.json({ error: `The builder cannot be opened: ${error}` }, { status: 502 });
  return Response.json({ builder_url }, { status: 201 });
}
