import * as z from 'zod';

const part = <const T extends string, const Shape extends z.core.$ZodLooseShape>(type: T, id: string, description: string, shape: Shape) =>
  z.object({ type: z.literal(type).describe('Decide by this'), ...shape }).meta({ id, description });

const text = { id: z.string().describe('The text that it belongs to') };
const call = { toolCallId: z.string().describe('The call that it belongs to') };
const toolName = z.string().describe('What the builder does, such as `write_file`');
const turn = z.string().describe('The turn: a message and its answer');

/** The parts of a turn's stream: the UI message stream of the AI SDK, and its parts with data. */
export const ChatStreamPart = z
  .discriminatedUnion('type', [
    part('start', 'ChatStart', 'The turn begins', {
      messageMetadata: z.object({ turn_id: turn }).meta({ id: 'ChatStartMetadata', description: 'What the turn is' }),
    }),
    part('text-start', 'ChatTextStart', 'A text begins', text),
    part('text-delta', 'ChatTextDelta', 'More of a text', { ...text, delta: z.string().describe('To be put after what came before') }),
    part('text-end', 'ChatTextEnd', 'A text is complete', text),
    part('tool-input-start', 'ChatToolInputStart', 'A step of the builder begins', { ...call, toolName }),
    part('tool-input-delta', 'ChatToolInputDelta', 'More of what a step is given', {
      ...call,
      inputTextDelta: z.string().describe('JSON in pieces; after 200 characters no more come'),
    }),
    part('tool-input-available', 'ChatToolInput', 'What a step is given', {
      ...call,
      toolName,
      input: z.record(z.string(), z.unknown()).describe('By name; texts are cut after 1,000 characters'),
    }),
    part('tool-output-available', 'ChatToolOutput', 'What came of a step', {
      ...call,
      output: z.unknown().describe('Any JSON; texts are cut after 1,000 characters'),
    }),
    part('tool-output-error', 'ChatToolError', 'A step failed; the turn goes on', {
      ...call,
      errorText: z.string().describe('Why, in a sentence'),
    }),
    part('data-file', 'ChatFile', 'A file of the draft was written or deleted', {
      data: z
        .object({ path: z.string().describe('As in `index.html`'), action: z.enum(['written', 'deleted']).describe('What was done') })
        .meta({ id: 'ChatFileData', description: 'Which file' }),
    }),
    part('data-preview', 'ChatPreview', 'The preview shows something else: load it again', {
      data: z
        .object({ revision_id: z.string().nullable().describe('The revision that it shows; null while the turn is running') })
        .meta({ id: 'ChatPreviewData', description: 'What it shows' }),
    }),
    part('data-usage', 'ChatUsage', 'What the turn cost', {
      data: z
        .object({
          credits: z.int().describe('One pays for 1,000 tokens of a model'),
          balance: z.int().optional().describe('The credits that the organization has left; for its members alone'),
        })
        .meta({ id: 'ChatUsageData', description: 'In credits' }),
    }),
    part('finish', 'ChatFinish', 'The turn is done, and its revision exists', {
      messageMetadata: z
        .object({ turn_id: turn, revision_id: z.string().nullable().describe('The revision that it made; null if no file changed') })
        .meta({ id: 'ChatFinishMetadata', description: 'What came of the turn' }),
    }),
    part('error', 'ChatError', 'The turn failed; nothing was changed', { errorText: z.string().describe('Why, in a sentence') }),
    part('abort', 'ChatAbort', 'The turn was stopped; nothing was changed', {}),
  ])
  .meta({ id: 'ChatStreamPart', description: 'The data of one server-sent event of a turn. Further types may come: ignore them' });

/** The body of a stream, for readers of OpenAPI 3.1, which cannot say more of a text than what one of its items is. */
export const chatStream = {
  type: 'string',
  description:
    'Server-sent events. The `data` of each is one ChatStreamPart as JSON, and of the last one `[DONE]`; the `id` is what `Last-Event-ID` takes. `: ping` comes every 15 seconds.',
  'x-itemSchema': { $ref: '#/components/schemas/ChatStreamPart' },
} as const;

export const chatStreamExample = `id: 4711
data: {"type":"start","messageMetadata":{"turn_id":"0199a3c4-5e00-7000-8000-000000000061"}}

id: 4712
data: {"type":"text-start","id":"0"}

id: 4713
data: {"type":"text-delta","id":"0","delta":"The opening hours are on the first page now."}

id: 4714
data: {"type":"text-end","id":"0"}

id: 4715
data: {"type":"data-file","data":{"path":"index.html","action":"written"}}

id: 4716
data: {"type":"finish","messageMetadata":{"turn_id":"0199a3c4-5e00-7000-8000-000000000061","revision_id":"0199a3c4-5e00-7000-8000-000000000021"}}

data: [DONE]

`;
