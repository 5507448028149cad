import { randomUUID } from 'node:crypto';
import type { ModelAnswer } from './model-answer.ts';

/** The events of one answer on the wire. */
interface WireEvents {
  readonly begin: readonly string[];
  readonly end: readonly string[];
  readonly error: string;
  /** One more piece of text, for answers without an end. */
  readonly more: string;
}

const defaultUsage = { input: 1_000, output: 200 };
const usageOf = ({ usage }: ModelAnswer) => (usage === undefined ? defaultUsage : usage);
const argumentsOf = (input: object | string) => (typeof input === 'string' ? input : JSON.stringify(input));
/** Tokens arrive in pieces, and pieces break words and escapes. */
const pieces = (text: string): string[] => text.match(/[\s\S]{1,40}/g) ?? [];

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export function openAiEvents(answer: ModelAnswer): WireEvents {
  const { text = '', calls = [], finish = calls.length > 0 ? 'tool_calls' : 'stop' } = answer;
  const common = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted' };
  const event = (value: object) => `data: ${JSON.stringify({ ...common, ...value })}\n\n`;
  const delta = (value: object) => event({ choices: [{ index: 0, delta: value, finish_reason: null }] });
  const toolCall = (index: number, value: object) => delta({ tool_calls: [{ index, ...value }] });
  const usage = usageOf(answer);
  return {
    begin: [
      delta({ role: 'assistant', content: '' }),
      ...pieces(text).map((content) => delta({ content })),
      ...calls.flatMap(({ name, input }, index) => [
        toolCall(index, { id: `call_${randomUUID()}`, type: 'function', function: { name, arguments: '' } }),
        ...pieces(argumentsOf(input)).map((part) => toolCall(index, { function: { arguments: part } })),
      ]),
    ],
    end: [
      event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
      ...(usage === null
        ? []
        : [
            event({
              choices: [],
              usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
            }),
          ]),
      'data: [DONE]\n\n',
    ],
    error: `data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error' } })}\n\n`,
    more: delta({ content: 'more and '.repeat(200) }),
  };
}

/** https://docs.anthropic.com/en/api/messages-streaming */
export function anthropicEvents(answer: ModelAnswer): WireEvents {
  const { text = '', calls = [], finish = calls.length > 0 ? 'tool_use' : 'end_turn' } = answer;
  const event = (value: { readonly type: string } & Readonly<Record<string, unknown>>) =>
    `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const usage = usageOf(answer) ?? { input: 0, output: 0 };
  const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'scripted', content: [], stop_reason: null };
  const block = (index: number, start: object, deltas: readonly object[]) => [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
  const first = text === '' ? 0 : 1;
  return {
    begin: [
      event({ type: 'message_start', message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } } }),
      ...(text === ''
        ? []
        : block(
            0,
            { type: 'text', text: '' },
            pieces(text).map((part) => ({ type: 'text_delta', text: part })),
          )),
      ...calls.flatMap(({ name, input }, index) =>
        block(
          first + index,
          { type: 'tool_use', id: `toolu_${randomUUID()}`, name, input: {} },
          pieces(argumentsOf(input)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
        ),
      ),
    ],
    end: [
      event({ type: 'message_delta', delta: { stop_reason: finish, stop_sequence: null }, usage: { output_tokens: usage.output } }),
      event({ type: 'message_stop' }),
    ],
    error: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    more: event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'more and '.repeat(200) } }),
  };
}
