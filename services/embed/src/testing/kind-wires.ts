import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ModelAnswer } from './model-answer.ts';

const text = (answer: ModelAnswer) => answer.text ?? '';
const usageOf = ({ usage }: ModelAnswer) => usage ?? { input: 1_000, output: 200 };
const pieces = (value: string): string[] => value.match(/[\s\S]{1,40}/g) ?? [];
const argumentsOf = (input: object | string) => (typeof input === 'string' ? input : JSON.stringify(input));
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesEvents(answer: ModelAnswer): string[] {
  const { input, output } = usageOf(answer);
  const response = { id: `resp_${randomUUID()}`, created_at: 1_700_000_000, model: 'scripted' };
  const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [] };
  const first = text(answer) === '' ? 0 : 1;
  return [
    event({ type: 'response.created', response }),
    ...(first === 0
      ? []
      : [
          event({ type: 'response.output_item.added', output_index: 0, item: message }),
          ...pieces(text(answer)).map((delta) => event({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta })),
          event({ type: 'response.output_item.done', output_index: 0, item: message }),
        ]),
    ...(answer.calls ?? []).flatMap(({ name, input: given }, at) => {
      const [output_index, id] = [first + at, `fc_${randomUUID()}`];
      const item = { type: 'function_call', id, call_id: `call_${randomUUID()}`, name, arguments: '', status: 'in_progress' };
      return [
        event({ type: 'response.output_item.added', output_index, item }),
        ...pieces(argumentsOf(given)).map((delta) =>
          event({ type: 'response.function_call_arguments.delta', item_id: id, output_index, delta }),
        ),
        event({ type: 'response.output_item.done', output_index, item: { ...item, arguments: argumentsOf(given), status: 'completed' } }),
      ];
    }),
    event({ type: 'response.completed', response: { ...response, usage: { input_tokens: input, output_tokens: output } } }),
  ];
}

/** https://ai.google.dev/api/generate-content */
export function googleEvents(answer: ModelAnswer): string[] {
  const { input, output } = usageOf(answer);
  const parts = [
    ...pieces(text(answer)).map((each) => ({ text: each })),
    ...(answer.calls ?? []).map(({ name, input: args }) => ({ functionCall: { name, args } })),
  ];
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  return [
    ...parts.map((part) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] })),
    event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }], usageMetadata }),
  ];
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export function bedrockEvents(answer: ModelAnswer): Buffer[] {
  const { input, output } = usageOf(answer);
  const calls = answer.calls ?? [];
  return [
    frame('messageStart', { role: 'assistant' }),
    ...pieces(text(answer)).map((each) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: each } })),
    ...(text(answer) === '' ? [] : [frame('contentBlockStop', { contentBlockIndex: 0 })]),
    ...calls.flatMap(({ name, input: given }, at) => {
      const contentBlockIndex = at + 1;
      return [
        frame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: `tooluse_${randomUUID()}`, name } } }),
        ...pieces(argumentsOf(given)).map((each) => frame('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: each } } })),
        frame('contentBlockStop', { contentBlockIndex }),
      ];
    }),
    frame('messageStop', { stopReason: calls.length > 0 ? 'tool_use' : 'end_turn' }),
    frame('metadata', { usage: { inputTokens: input, outputTokens: output, totalTokens: input + output } }),
  ];
}

/** A message of AWS's binary event stream: lengths and headers, each part with its CRC-32. */
function frame(type: string, value: object): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }).map(([name, said]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(said.length);
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(said)]);
    }),
  );
  const payload = Buffer.from(JSON.stringify(value));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(12 + headers.length + payload.length + 4);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([head, checksum(head)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
