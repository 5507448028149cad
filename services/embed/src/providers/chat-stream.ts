import { createParser } from 'eventsource-parser';
import type { ServerQuirks } from './request-quirks.ts';

/** What servers say for each reason of the protocol why an answer ended. */
const reasons: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['length', 'max_tokens', 'model_length', 'max_output_tokens', 'token_limit', 'max_length', 'truncated'].map((each) => [each, 'length']),
  ),
  ...Object.fromEntries(
    ['content_filter', 'content_filtered', 'safety', 'refusal', 'sensitive', 'blocked', 'guardrail_intervened', 'prohibited_content'].map(
      (each) => [each, 'content_filter'],
    ),
  ),
};
/** Reasons that are none: the server gave up. */
const failures = new Set([
  'error',
  'network_error',
  'abort',
  'aborted',
  'cancelled',
  'canceled',
  'timeout',
  'insufficient_system_resource',
]);

interface ToolCall {
  index?: number;
  function?: { name?: string | null; arguments?: unknown };
}

interface Choice {
  delta?: Delta | null;
  message?: Delta | null;
  finish_reason?: string | null;
}

interface Delta {
  role?: string;
  content?: unknown;
  tool_calls?: ToolCall[] | null;
}

interface Chunk {
  object?: string;
  error?: unknown;
  choices?: Choice[];
  usage?: unknown;
}

const nothing = { index: 0, delta: { content: '' }, finish_reason: null };
const maxJsonCharacters = 8_000_000;
const event = (value: object | string): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

/** The chunks of one answer as the SDK reads them, whatever the server left out. */
class ChatAnswer {
  #hasEnded = false;
  #hasSaid = false;
  readonly #quirks: ServerQuirks;

  constructor(quirks: ServerQuirks) {
    this.#quirks = quirks;
  }

  /** The event for one chunk of the server; '' for what is no part of an answer. */
  read(data: string): string {
    if (data.trim() === '[DONE]') return '';
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch {
      return event(data.replaceAll('\n', ' '));
    }
    const [value] = Array.isArray(chunk) ? chunk : [chunk];
    return typeof value === 'object' && value !== null ? this.#readChunk(value) : '';
  }

  #readChunk(chunk: Chunk): string {
    if (chunk.error != null || chunk.object === 'error') return this.#fail(chunk.error ?? chunk);
    const [choice] = chunk.choices ?? [];
    // The package of Mistral takes no chunk of usage alone.
    if (choice === undefined) return chunk.usage == null ? '' : event({ ...chunk, choices: [nothing] });
    const reason = choice.finish_reason?.toLowerCase() ?? '';
    if (failures.has(reason)) return this.#fail({ type: reason });
    const delta = deltaOf(choice.delta ?? choice.message);
    this.#hasSaid ||= (typeof delta.content === 'string' && delta.content !== '') || (delta.tool_calls ?? []).length > 0;
    const hasReason = reason !== '' && reason !== 'null';
    this.#hasEnded ||= hasReason;
    const finish_reason = hasReason ? (reasons[reason] ?? (reason === 'tool_calls' || reason === 'function_call' ? reason : 'stop')) : null;
    return event({ ...chunk, choices: [{ ...choice, message: undefined, delta, finish_reason }] });
  }

  #fail(error: unknown): string {
    this.#hasEnded = true;
    return event(errorOf(error));
  }

  /** What is missing at the end of a stream that came whole. */
  end(isWhole: boolean): string {
    if (this.#hasEnded || !this.#hasSaid || !isWhole) return '';
    this.#quirks.names.add('no-finish-reason');
    return event({ choices: [{ ...nothing, finish_reason: 'stop' }] });
  }
}

/** Servers say their errors as an object, a sentence or a number, at different places. */
function errorOf(error: unknown): object {
  const { message, type, code, status } = (typeof error === 'object' && error !== null ? error : { message: error }) as Record<
    string,
    unknown
  >;
  return { error: { message: String(message ?? ''), type: String(type ?? ''), code: String(code ?? status ?? '') } };
}

/** Arguments come as text, as an object, or not at all. */
function deltaOf(delta: Delta | null | undefined): Delta {
  const { tool_calls, ...rest } = delta ?? {};
  if (tool_calls == null) return rest;
  const asText = (value: unknown) => (typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value));
  return {
    ...rest,
    tool_calls: tool_calls.map((call, index) => ({
      index,
      ...call,
      function: { ...call.function, arguments: asText(call.function?.arguments) },
    })),
  };
}

/** The events of an answer that is a stream, or JSON in place of one. */
async function* eventsOf(response: Response, quirks: ServerQuirks): AsyncGenerator<string> {
  const answer = new ChatAnswer(quirks);
  const read: string[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      isDone ||= data.trim() === '[DONE]';
      read.push(answer.read(data));
    },
  });
  let [head, isJson] = ['', undefined as boolean | undefined];
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    if (isJson !== false) {
      head += text;
      if (head.trim() === '') continue;
      isJson ??= /^\s*[{[]/.test(head);
      if (isJson && head.length > maxJsonCharacters) throw new Error('the answer of the provider is too long');
    }
    if (isJson) continue;
    parser.feed(head === '' ? text : head);
    head = '';
    yield* read.splice(0);
  }
  if (isJson) {
    quirks.names.add('no-stream');
    yield answer.read(head);
  }
  parser.reset({ consume: true });
  yield* read.splice(0);
  // The end of a body with a length, or in chunks, is known; elsewhere a cut connection looks like an end.
  yield answer.end(isDone || isJson === true || response.headers.has('transfer-encoding') || response.headers.has('content-length'));
  yield event('[DONE]');
}

/** The answer as the stream of chunks that the SDK reads. What the server left out is remembered in `quirks`. */
export function chatStream(response: Response, quirks: ServerQuirks): Response {
  const bytes = ReadableStream.from(eventsOf(response, quirks)).pipeThrough(new TextEncoderStream());
  const headers = new Headers(response.headers);
  headers.set('content-type', 'text/event-stream');
  return new Response(bytes as ReadableStream<Uint8Array>, { status: response.status, headers });
}
