/** A request of chat completions, as far as servers differ about it. */
export interface ChatRequest {
  max_tokens?: number | undefined;
  max_completion_tokens?: number | undefined;
  stream?: boolean | undefined;
  stream_options?: object | undefined;
  messages?: readonly Message[] | undefined;
  tools?: readonly { readonly function: { readonly name: string; readonly parameters?: Schema | undefined } }[] | undefined;
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly object[] | null | undefined;
}

interface Schema {
  readonly properties?: Readonly<Record<string, object>> | undefined;
  readonly [keyword: string]: unknown;
}

interface RequestQuirk {
  /** True if a server that refused `body` with these words may accept what `apply` makes of it. */
  isAskedFor(complaint: string, body: ChatRequest): boolean;
  apply(body: ChatRequest, quirks: ServerQuirks): ChatRequest;
}

/** What servers do to answers, beside what they want of requests. */
type AnswerQuirk = 'no-finish-reason' | 'no-stream';
type RequestQuirkName = keyof typeof requestQuirks;
export type QuirkName = RequestQuirkName | AnswerQuirk;

/** What the server of one model turned out to want. Each of its few names is there once, so it can not grow. */
export class ServerQuirks {
  readonly names = new Set<QuirkName>();
  /** The most output tokens that the server takes. */
  maxTokens = Number.POSITIVE_INFINITY;
}

const refused = /unsupported|not supported|not permitted|not allowed|unknown|unrecogni[sz]ed|unexpected|extra|invalid|does not support/i;
const largest = /(?:at most|maximum(?! context)|less than or equal to|<=|up to)\D{0,20}(\d{2,9})/i;
/** The most output tokens that a complaint says a server takes. */
const tokensIn = (complaint: string): number =>
  /max_tokens|max_completion_tokens/.test(complaint) ? Number(largest.exec(complaint)?.[1] ?? Number.NaN) : Number.NaN;
const isEmpty = ({ properties = {} }: Schema = {}) => Object.keys(properties).length === 0;

const withSchemas = (body: ChatRequest, change: (schema: Schema) => Schema): ChatRequest => ({
  ...body,
  tools: body.tools?.map((tool) => ({
    ...tool,
    function: { ...tool.function, parameters: change(tool.function.parameters ?? { type: 'object' }) },
  })),
});

/** Keywords that every engine knows; servers with an engine of their own refuse others. */
const plainKeywords = new Set(['type', 'properties', 'required', 'description', 'items', 'enum']);

const plainSchema = (schema: Schema): Schema => ({
  ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => plainKeywords.has(keyword))),
  ...(schema.properties && {
    properties: Object.fromEntries(Object.entries(schema.properties).map(([name, part]) => [name, plainSchema(part as Schema)])),
  }),
});

/** The instructions at the head of the first message, for models without a place for them. */
function withoutSystemRole(messages: readonly Message[]): readonly Message[] {
  const [system, first, ...rest] = messages;
  if (system?.role !== 'system' || typeof system.content !== 'string' || first === undefined) return messages;
  const content =
    typeof first.content === 'string'
      ? `${system.content}\n\n${first.content}`
      : [{ type: 'text', text: system.content }, ...(first.content ?? [])];
  return [{ ...first, content }, ...rest];
}

/** Asked in this order, the one that takes least away first. */
const requestQuirks = {
  'fewer-tokens': {
    isAskedFor: (complaint, body) => tokensIn(complaint) < (body.max_tokens ?? body.max_completion_tokens ?? 0),
    apply: (body, { maxTokens }) => ({
      ...body,
      ...(body.max_tokens !== undefined && { max_tokens: Math.min(body.max_tokens, maxTokens) }),
      ...(body.max_completion_tokens !== undefined && { max_completion_tokens: Math.min(body.max_completion_tokens, maxTokens) }),
    }),
  },
  'max-completion-tokens': {
    isAskedFor: (complaint, { max_tokens }) =>
      max_tokens !== undefined && /\bmax_tokens\b/.test(complaint) && (/max_completion_tokens/.test(complaint) || refused.test(complaint)),
    apply: ({ max_tokens, ...body }) => ({ ...body, ...(max_tokens !== undefined && { max_completion_tokens: max_tokens }) }),
  },
  'no-stream-options': {
    isAskedFor: (complaint, { stream_options }) => stream_options !== undefined && /stream_options|include_usage/.test(complaint),
    apply: ({ stream_options: _, ...body }) => body,
  },
  'plain-schemas': {
    isAskedFor: (complaint, { tools }) =>
      tools !== undefined && /additionalProperties|\$schema|exclusiveM|(?:min|max)Length|["'](?:min|max)imum["']/.test(complaint),
    apply: (body) => withSchemas(body, plainSchema),
  },
  'no-empty-tools': {
    isAskedFor: (complaint, { tools = [] }) =>
      tools.some((tool) => isEmpty(tool.function.parameters)) && /\bproperties\b|\bparameters\b|schema/i.test(complaint),
    apply: (body) => {
      const properties = { note: { type: 'string', description: 'Leave this out.' } };
      return withSchemas(body, (schema) => (isEmpty(schema) ? { ...schema, type: 'object', properties } : schema));
    },
  },
  'no-null-content': {
    isAskedFor: (complaint, { messages = [] }) => messages.some(({ content }) => content === null) && /content/i.test(complaint),
    apply: (body) => ({
      ...body,
      messages: body.messages?.map((message) => (message.content === null ? { ...message, content: '' } : message)),
    }),
  },
  'no-system-role': {
    isAskedFor: (complaint, { messages = [] }) =>
      messages[0]?.role === 'system' && /\b(?:system|developer)\b/i.test(complaint) && /\brole\b|instruction/i.test(complaint),
    apply: (body) => ({ ...body, messages: withoutSystemRole(body.messages ?? []) }),
  },
  'no-streaming': {
    isAskedFor: (complaint, { stream, stream_options }) =>
      stream === true &&
      stream_options === undefined &&
      /\bstream(?:ing)?\b/i.test(complaint) &&
      (refused.test(complaint) || /cannot|can't/i.test(complaint)),
    apply: ({ stream_options: _, ...body }) => ({ ...body, stream: false }),
  },
} satisfies Record<string, RequestQuirk>;

const names = Object.keys(requestQuirks) as RequestQuirkName[];

/** The request as a server with these quirks wants it. */
export const adapted = (body: ChatRequest, quirks: ServerQuirks, more: readonly QuirkName[] = []): ChatRequest =>
  names
    .filter((name) => quirks.names.has(name) || more.includes(name))
    .reduce<ChatRequest>((request, name) => requestQuirks[name].apply(request, quirks), body);

/** What else a server that refused `body` seems to want, none of `tried`; undefined if nothing that we know. */
export function askedFor(complaint: string, body: ChatRequest, tried: readonly QuirkName[], quirks: ServerQuirks): QuirkName | undefined {
  const found = names.find((name) => !tried.includes(name) && requestQuirks[name].isAskedFor(complaint, body));
  if (found === 'fewer-tokens') quirks.maxTokens = tokensIn(complaint);
  return found;
}
