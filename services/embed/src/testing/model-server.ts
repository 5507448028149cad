import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { bedrockEvents, googleEvents, responsesEvents } from './kind-wires.ts';
import type { ModelAnswer } from './model-answer.ts';
import { anthropicEvents, openAiEvents } from './model-wire.ts';

export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Answers the requests of one test by number, from 0. It may do something first. */
export type Script = (request: ModelRequest, number: number) => ModelAnswer | Promise<ModelAnswer>;

/** The wire formats of single kinds, by the end of the path. */
const kinds: readonly (readonly [path: RegExp, type: string, events: (answer: ModelAnswer) => readonly (string | Buffer)[]])[] = [
  [/\/responses$/, 'text/event-stream', responsesEvents],
  [/:streamGenerateContent\?alt=sse$/, 'text/event-stream', googleEvents],
  [/\/converse-stream$/, 'application/vnd.amazon.eventstream', bedrockEvents],
];

/**
 * A model provider that streams the wire formats of OpenAI (`/chat/completions`, `/responses`), Anthropic
 * (`/messages`), Google and Bedrock.
 */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  #abandoned = 0;
  readonly #gone = new EventEmitter();
  readonly #arrivals = new EventEmitter();
  script: Script = () => ({ text: 'Hello.' });
  readonly #server: Server;
  #written = 0;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const asked = { path: request.url ?? '', headers: request.headers, text: Buffer.concat(chunks).toString() };
      this.requests.push(asked);
      this.#arrivals.emit('asked');
      response.on('close', () => {
        if (response.writableFinished) return;
        this.#abandoned++;
        this.#gone.emit('gone');
      });
      await this.#answer(response, asked, await this.script(asked, this.#written++));
    });
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Begins a script of its own: its first request has the number 0. */
  play(script: Script | readonly ModelAnswer[]): void {
    this.#written = 0;
    this.requests.length = 0;
    this.#abandoned = 0;
    this.script = typeof script === 'function' ? script : (_request, number) => script[number] ?? { text: 'The script is over.' };
  }

  /** Resolves when the script was asked so often. */
  async untilRequested(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.#arrivals, 'asked');
  }

  /** Resolves when so many requests have lost their caller before their end. */
  async untilAbandoned(count: number): Promise<void> {
    while (this.#abandoned < count) await once(this.#gone, 'gone');
  }

  async #answer(response: ServerResponse, { path }: ModelRequest, answer: ModelAnswer): Promise<void> {
    if (answer.status !== undefined) {
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body ?? { error: { message: 'scripted failure' } }));
      return;
    }
    if (answer.wire !== undefined) return writeAll(response, answer.wire.type, answer.wire.text.match(/[\s\S]{1,100}/g) ?? []);
    const [, type, eventsOf] = kinds.find(([end]) => end.test(path)) ?? [];
    if (type !== undefined) return writeAll(response, type, eventsOf?.(answer) ?? []);
    response.writeHead(200, { 'content-type': 'text/event-stream', ...answer.headers });
    const events = path.endsWith('/messages') ? anthropicEvents(answer) : openAiEvents(answer);
    for (const event of events.begin) {
      if (answer.pauseMs !== undefined) await pause(answer.pauseMs);
      response.write(event);
    }
    if (answer.fails === undefined) response.end(events.end.join(''));
    if (answer.fails === 'error') response.end(events.error);
    if (answer.fails === 'cut') response.write(' ', () => response.destroy());
    if (answer.fails === 'endless') await writeFor(response, events.more);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function writeAll(response: ServerResponse, type: string, pieces: readonly (string | Buffer)[]): void {
  response.writeHead(200, { 'content-type': type });
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** Writes until the reader goes away. */
async function writeFor(response: ServerResponse, event: string): Promise<void> {
  const closed = once(response, 'close');
  while (!response.destroyed) if (!response.write(event)) await Promise.race([once(response, 'drain'), closed]);
}
