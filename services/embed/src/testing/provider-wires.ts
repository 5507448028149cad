import type { ModelAnswer } from './model-answer.ts';
import type { ModelRequest, Script } from './model-server.ts';

/** The page that each of these providers builds, by listing the files, writing one, and saying so. */
export const page = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
export const farewell = 'Your bakery has a page.';

/** A server as it was seen in public reports: what it refuses, and the text of its answers on the wire. */
interface ProviderWire {
  /** Whose server it is, and what it does. */
  readonly quirk: string;
  /** The refusal of a request that it does not take. */
  readonly refusal?: (body: Record<string, unknown>, number: number) => ModelAnswer | undefined;
  /** Its answers one after the other; those of the protocol by default. */
  readonly answers?: readonly ModelAnswer[];
  /** How often a turn of three steps asks it. */
  readonly requests?: number;
}

const write = JSON.stringify({ path: 'index.html', content: page });
const stream = (...events: readonly (object | string)[]): ModelAnswer => ({
  wire: {
    type: 'text/event-stream',
    text: events.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join(''),
  },
});
const json = (value: object): ModelAnswer => ({ wire: { type: 'application/json', text: JSON.stringify(value) } });
const chunk = (delta: object, finish_reason?: string | null) => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (name: string, args: unknown) =>
  chunk({
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: args } }],
  });
const said = chunk({ role: 'assistant', content: farewell });

/** Three steps that each end with these events. */
const endingWith = (...end: readonly (object | string)[]): readonly ModelAnswer[] => [
  stream(call('list_files', '{}'), ...end),
  stream(call('write_file', write), ...end),
  stream(said, ...end),
];

const usual: readonly ModelAnswer[] = [
  { calls: [{ name: 'list_files', input: {} }] },
  { calls: [{ name: 'write_file', input: write }] },
  { text: farewell },
];

const refuse = (status: number, message: string, more: object = {}): ModelAnswer => ({ status, body: { error: { message, ...more } } });
const toolsOf = (body: Record<string, unknown>) => body.tools as { function: { parameters: { properties?: object } } }[];
const rolesOf = (body: Record<string, unknown>) => (body.messages as { role: string; content: unknown }[]).map(({ role }) => role);

export const providerWires: readonly ProviderWire[] = [
  { quirk: 'Text Generation Inference ends with eos_token', answers: endingWith(chunk({}, 'eos_token'), '[DONE]') },
  { quirk: 'Together ends with eos', answers: endingWith(chunk({}, 'eos'), '[DONE]') },
  { quirk: 'a proxy of Bedrock ends with end_turn, and with tool_use', answers: endingWith(chunk({}, 'end_turn'), '[DONE]') },
  { quirk: 'LM Studio ends with no reason', answers: endingWith('[DONE]') },
  { quirk: 'an old vLLM ends with no reason and no [DONE]', answers: endingWith() },
  { quirk: 'DashScope has an empty reason in every chunk', answers: endingWith(chunk({ content: '' }, ''), chunk({}, 'null'), '[DONE]') },
  { quirk: 'a server calls every end tool_calls', answers: endingWith(chunk({}, 'tool_calls'), '[DONE]') },
  {
    quirk: 'OpenAI wants max_completion_tokens',
    requests: 4,
    refusal: ({ max_tokens }) =>
      max_tokens === undefined
        ? undefined
        : refuse(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", {
            type: 'invalid_request_error',
            param: 'max_tokens',
            code: 'unsupported_parameter',
          }),
  },
  {
    quirk: 'DeepInfra takes fewer tokens',
    requests: 4,
    refusal: ({ max_tokens }) =>
      Number(max_tokens) > 8_192
        ? refuse(400, `max_tokens is too large: ${max_tokens}. This model supports at most 8192 completion tokens.`)
        : undefined,
  },
  {
    quirk: 'Mistral refuses stream_options',
    requests: 4,
    refusal: ({ stream_options }) =>
      stream_options === undefined
        ? undefined
        : {
            status: 422,
            body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
          },
  },
  {
    quirk: 'Gemini refuses a tool without properties',
    requests: 4,
    refusal: (body) =>
      toolsOf(body).every((tool) => Object.keys(tool.function.parameters.properties ?? {}).length > 0)
        ? undefined
        : refuse(
            400,
            '* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type',
            {
              status: 'INVALID_ARGUMENT',
            },
          ),
  },
  {
    quirk: 'a server with an engine of its own refuses keywords of schemas',
    requests: 4,
    refusal: (body) =>
      /additionalProperties|minLength|\$schema/.test(JSON.stringify(toolsOf(body)))
        ? refuse(400, 'Unknown name "additionalProperties" at \'tools[0]\': Cannot find field.')
        : undefined,
  },
  {
    quirk: 'Gemma has no system role',
    requests: 4,
    refusal: (body) => (rolesOf(body).includes('system') ? refuse(400, 'System role not supported') : undefined),
  },
  {
    quirk: 'a gateway wants no null as content',
    requests: 4,
    refusal: (body) =>
      (body.messages as { content: unknown }[]).some(({ content }) => content === null)
        ? refuse(422, 'messages.2.content: Input should be a valid string')
        : undefined,
  },
  {
    quirk: 'llama.cpp wants no stream with tools, and no stream_options',
    requests: 5,
    refusal: ({ stream, stream_options }) =>
      stream_options !== undefined
        ? refuse(400, 'stream_options is only allowed with another server')
        : stream === true
          ? refuse(500, 'Cannot use tools with stream')
          : undefined,
    answers: [
      json({
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [{ function: { name: 'list_files', arguments: '{}' } }] } }],
      }),
      json({
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [{ function: { name: 'write_file', arguments: write } }] } }],
      }),
      json({ choices: [{ message: { role: 'assistant', content: farewell }, finish_reason: 'stop' }] }),
    ],
  },
  {
    quirk: 'Workers AI answers with JSON in place of a stream',
    answers: [
      json({
        choices: [{ message: { content: '', tool_calls: [{ id: 'a', function: { name: 'list_files', arguments: {} } }] } }],
        usage: null,
      }),
      json({ choices: [{ message: { tool_calls: [{ id: 'b', function: { name: 'write_file', arguments: JSON.parse(write) } }] } }] }),
      json({ object: 'chat.completion', choices: [{ message: { role: 'assistant', content: farewell }, finish_reason: 'stop' }] }),
    ],
  },
  {
    quirk: 'Ollama sends empty arguments',
    answers: [stream(call('list_files', ''), chunk({}, 'tool_calls'), '[DONE]'), ...endingWith(chunk({}, 'stop'), '[DONE]').slice(1)],
  },
  {
    quirk: 'GLM sends null as arguments',
    answers: [stream(call('list_files', 'null'), chunk({}, 'tool_calls'), '[DONE]'), ...endingWith(chunk({}, 'stop'), '[DONE]').slice(1)],
  },
  {
    quirk: 'gpt-oss leaves a namespace and special tokens on names, and a fence around arguments',
    answers: [
      stream(call('functions.list_files', '{}'), chunk({}, 'stop'), '[DONE]'),
      stream(call('write_file<|channel|>commentary', `\`\`\`json\n${write}\n\`\`\``), chunk({}, 'stop'), '[DONE]'),
      stream(said, chunk({}, 'stop'), '[DONE]'),
    ],
  },
  {
    quirk: 'a small model puts a fence around the file',
    answers: [
      stream(call('list_files', '{}'), chunk({}, 'stop')),
      stream(call('write_file', JSON.stringify({ path: 'index.html', content: `\`\`\`html\n${page}\n\`\`\`` })), chunk({}, 'stop')),
      stream(said, chunk({}, 'stop')),
    ],
  },
  {
    quirk: 'Groq has too much to do for a second',
    requests: 4,
    refusal: (_body, number) => (number === 0 ? { status: 429, headers: { 'retry-after': '1' } } : undefined),
  },
];

/** The script of such a server. */
export function wireScript({ refusal, answers = usual }: ProviderWire): Script {
  let answered = 0;
  return ({ text }: ModelRequest, number) => refusal?.(JSON.parse(text), number) ?? answers[answered++] ?? { text: 'The script is over.' };
}
