/** An embed session of a user of its own, with an empty project. */
export interface Session {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly authorization: string;
}

interface Pair {
  readonly client_id: string;
  readonly client_secret: string;
  readonly user_id: string;
}

export async function openSession(baseUrl: string, { client_id, client_secret, user_id }: Pair): Promise<Session> {
  const response = await fetch(new URL('/api/embed/session', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, user_id }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const { token, project } = (await response.json()) as { token: string; project: { id: string } };
  return { baseUrl, projectId: project.id, authorization: `Bearer ${token}` };
}

/** Sends a message; resolves at the first part of the stream, and `done` when the stream has ended. Times in ms. */
export async function startTurn({ baseUrl, projectId, authorization }: Session, message: string) {
  const begun = performance.now();
  const response = await fetch(`${baseUrl}/projects/${projectId}/chat`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  await reader.read();
  const firstMs = performance.now() - begun;
  const rest = async () => {
    while (!(await reader.read()).done);
    return { firstMs, doneMs: performance.now() - begun };
  };
  return { done: rest() };
}

/** Another reader of the running turn; resolves at its first part. */
export async function follow({ baseUrl, projectId, authorization }: Session): Promise<void> {
  const response = await fetch(`${baseUrl}/projects/${projectId}/chat/stream`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.body?.getReader().read();
}
