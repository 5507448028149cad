import type { OpenedSession } from './embed-session.ts';

/** A part of a turn's stream, and its event id. */
export interface ChatPart {
  readonly id: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

type Session = Pick<OpenedSession, 'api' | 'project'>;

/** Sends a message; the response's body is the stream. */
export const sendChat = ({ api, project }: Session, message: string, headers: Record<string, string> = {}, more: object = {}) =>
  api.raw(`/projects/${project.id}/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message, ...more }),
  });

/** The parts of a stream, without its end mark. Throws if the stream broke off before that. */
export async function partsOf(response: Response): Promise<ChatPart[]> {
  const events = (await response.text()).split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  const parsed = events.map((event) => /^id: (?<id>\d+)\ndata: (?<data>.*)$/s.exec(event)?.groups ?? {});
  if (parsed.pop()?.data !== '[DONE]') throw new Error(`the stream broke off after ${parsed.length} parts`);
  return parsed.map(({ id, data }) => ({ id: Number(id), ...JSON.parse(data ?? '') }));
}

/** Sends a message and reads the whole turn. */
export async function chat(session: Session, message: string): Promise<ChatPart[]> {
  const response = await sendChat(session, message);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return partsOf(response);
}

/** What was answered. */
export const textOf = (parts: readonly ChatPart[]): string =>
  parts
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta)
    .join('');

/** The same stream, from its beginning, once it has said the words. */
export async function onceSaid({ body }: Response, words: string): Promise<Response> {
  const [now, whole] = (body as ReadableStream<Uint8Array>).tee();
  let events = '';
  for await (const text of now.pipeThrough(new TextDecoderStream())) {
    events += text;
    const said = [...events.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta).join('');
    if (said.includes(words)) break;
  }
  return new Response(whole);
}
