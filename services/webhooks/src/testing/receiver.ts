import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { freePort } from '@webkiln/runtime/testing/free-port';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

type Answer = (response: ServerResponse, received: Received) => void;

export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(body);

/** An agency's server: records requests and answers as configured, by default 200. */
export class Receiver {
  readonly received: Received[] = [];
  /** The answers of single paths; all others get `answer`. */
  readonly answers = new Map<string, Answer>();
  answer: Answer = status(200);
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '/', headers } = request;
      const received = { path: url, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
      this.received.push(received);
      (this.answers.get(url) ?? this.answer)(response, received);
    });
  });
  #port = 0;

  /** Forgets all requests, and answers 200 again. */
  reset(): void {
    this.received.length = 0;
    this.answers.clear();
    this.answer = status(200);
  }

  async listen(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    await once(this.#server.listen(this.#port, '0.0.0.0'), 'listening');
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  at(path: string): Received[] {
    return this.received.filter((received) => received.path === path);
  }

  /** Aborts unanswered requests. */
  dropConnections(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server.close(), 'close');
  }
}

/** The event ids of received requests. */
export const idsOf = (received: readonly Received[]): string[] => received.map(({ headers }) => String(headers['webhook-id']));
