import type { IncomingHttpHeaders } from 'node:http';
import type { StoredPart } from '@webkiln/events/streams';
import type { Caller } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import type { TurnStreamResponses } from '../api/turn-stream-response.ts';
import { readable } from './mcp-address.ts';
import type { McpMessage } from './mcp-message.ts';

type Token = string | number;

/** With the first and the last one, at most two a second. */
const tellEveryMs = 1000;
/** Less than the minute after which clients give a call up. The agent then asks by get_build. */
const maxMs = 50_000;
const maxTokenLength = 256;
const maxMessageLength = 1000;

const streamHeaders: readonly string[] = [
  ...readable,
  ...['Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache', 'X-Accel-Buffering', 'no'],
];

/** The token of a call of the builder whose client wants to be told how far it is; undefined for all others. */
export function progressTokenOf({ tool, params }: McpMessage, { accept = '' }: IncomingHttpHeaders): Token | undefined {
  if (tool !== 'build_site' || !accept.includes('text/event-stream')) return undefined;
  const { progressToken: token } = (params?._meta ?? {}) as { readonly progressToken?: unknown };
  const isShort = typeof token === 'string' && token.length <= maxTokenLength;
  return isShort || Number.isSafeInteger(token) ? (token as Token) : undefined;
}

/** The turn that a result names; undefined for an error. */
function turnIn(json: Buffer): string | undefined {
  const { result } = JSON.parse(json.toString()) as { result?: { structuredContent?: { turn_id?: string } } };
  return result?.structuredContent?.turn_id;
}

/** Tells clients by notifications/progress what the builder does, before the result of their call. */
export class BuildProgress {
  readonly #responses: ResponseWriter;
  readonly #turns: TurnStreamResponses;

  constructor(responses: ResponseWriter, turns: TurnStreamResponses) {
    this.#responses = responses;
    this.#turns = turns;
  }

  /** Sends the response as a stream. False if there is nothing to tell: it is sent whole. */
  async send(exchange: Exchange, answer: Buffer, token: Token, caller: Caller): Promise<boolean> {
    const turnId = turnIn(answer);
    if (turnId === undefined) return false;
    const { response } = exchange;
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(maxMs)]);
    const parts = await this.#turns.read(turnId, caller, signal).catch((err: unknown) => {
      logger.warn({ err, turn_id: turnId }, 'the parts of a turn could not be read; the call is answered at once');
    });
    if (parts === undefined || response.destroyed) return response.destroyed;
    this.#responses.begin(exchange, 200, [], streamHeaders);
    exchange.releaseSlot?.();
    const write = (json: string) => response.destroyed || response.write(`event: message\ndata: ${json}\n\n`);
    await tell(parts, token, write).catch((err: unknown) => logger.warn({ err, turn_id: turnId }, 'the progress of a turn broke off'));
    write(answer.toString());
    response.end();
    return true;
  }
}

async function tell(parts: AsyncIterable<StoredPart>, progressToken: Token, write: (json: string) => void): Promise<void> {
  let progress = 0;
  let said = ['The builder has begun'];
  const flush = () => {
    if (said.length === 0) return;
    const all = said.join(', ');
    const message = all.length > maxMessageLength ? `…${all.slice(1 - maxMessageLength).toWellFormed()}` : all;
    said = [];
    write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: ++progress, message } }));
  };
  flush();
  const timer = setInterval(flush, tellEveryMs);
  try {
    for await (const { json } of parts) said.push(...sentencesOf(json));
    flush();
  } finally {
    clearInterval(timer);
  }
}

interface Part {
  readonly data: { readonly path: string; readonly action: 'written' | 'deleted' };
  readonly toolName: string;
}

const sentences: Readonly<Record<string, (part: Part) => string | undefined>> = {
  'data-file': ({ data: { path, action } }) => `${action === 'deleted' ? 'Deleted' : 'Wrote'} ${path}`,
  'tool-input-available': ({ toolName }) => (toolName === 'check_site' ? 'Checks the site' : undefined),
  finish: () => 'The builder is done',
  abort: () => 'The builder was stopped',
  error: () => 'The builder has failed',
};

/** What a part says; most, such as the words of the answer, say nothing here. */
function sentencesOf(json: string): string[] {
  const [, type = ''] = /^\{"type":"([\w-]+)"/.exec(json) ?? [];
  const said = Object.hasOwn(sentences, type) ? sentences[type]?.(JSON.parse(json) as Part) : undefined;
  return said === undefined ? [] : [said];
}
