import { AppError, agentTexts, ChatMessage, Draft, File, maxDocsQuery, operations, pathProblem } from '@webkiln/contract';
import { type Caller, contentChunkBytes } from '@webkiln/messages';
import { type PreparedOperation, prepareOperation } from '@webkiln/operations';
import { callForReply } from '@webkiln/rpc';
import * as z from 'zod';
import { callOperation, read, shown, slicePage } from './run-operation.ts';
import { idempotencyKey, page, type Values } from './tool-arguments.ts';
import { nextCursor, shortened } from './tool-result.ts';

/** A tool that takes or returns something else than its operation. */
interface OwnTool {
  readonly schema: z.ZodObject;
  readonly result: z.ZodObject;
  /** Absent if the service of the tools does itself what the operation does: see `servedBy`. */
  run?(values: Values, caller: Caller): Promise<OwnResult>;
}

interface OwnResult {
  readonly json: string;
  /** True if an earlier call with the same idempotency_key did it. */
  readonly replayed?: boolean;
}

const prepared = (name: string): PreparedOperation => prepareOperation(name, operations[name] as PreparedOperation['operation']);
const getDraft = prepared('getDraft');
const listFiles = prepared('listProjectFiles');
const getFile = prepared('getProjectFile');
const writeDraft = prepared('writeDraft');
const sendMessage = prepared('sendChatMessage');
const listMessages = prepared('listChatMessages');

const project_id = z.uuid({ error: 'must be a UUID' });
const path = z
  .string({ error: 'must be a string' })
  .refine((value) => pathProblem(value) === undefined, { error: ({ input }) => pathProblem(String(input)) ?? 'must be a path' })
  .describe('Relative to the root of the site, with slashes: css/site.css')
  .register(agentTexts, { asDescribed: true });
const if_match = z.string({ error: 'must be a string' }).min(1, 'must not be empty').max(200).optional();
const maxFiles = 200;

const etag = z
  .string()
  .describe('Of the draft: send it as if_match, and a write is refused if the draft was changed since')
  .register(agentTexts, { asDescribed: true });

const WrittenFile = z.object({
  path,
  content: z
    .string({ error: 'must be a string' })
    .describe('The text of the file, or its bytes as base64')
    .register(agentTexts, { asDescribed: true }),
  encoding: z
    .enum(['utf8', 'base64'], { error: 'must be utf8 or base64' })
    .optional()
    .describe('base64 for pictures and other bytes; left out: content is the text')
    .register(agentTexts, { asDescribed: true }),
});

const DraftResult = z.object({ draft: Draft, etag });

/** What the draft is now: its entity tag, and its files by path. */
async function draftOf(project_id: unknown, caller: Caller): Promise<{ etag: string | undefined; files: File[]; draft: Draft }> {
  // First, so that a change in between is noticed by the tag.
  const { json, etag } = await read(getDraft, { project_id }, caller);
  const { files } = JSON.parse((await read(listFiles, { project_id }, caller)).json) as { files: File[] };
  return { etag, files, draft: (JSON.parse(json) as { draft: Draft }).draft };
}

const maxAttempts = 5;

/**
 * Makes `changed(files of now)` the draft, in one revision. If nobody named a state, a change in between is no
 * conflict: what others wrote meanwhile stays.
 */
async function changeDraft(
  { project_id, if_match }: Values,
  { idempotency, ...caller }: Caller,
  changed: (files: readonly File[]) => object,
): Promise<OwnResult> {
  for (let attempt = 1; ; attempt++) {
    const now = await draftOf(project_id, caller);
    const ifMatch = (if_match as string | undefined) ?? now.etag;
    // A refusal is kept for the key, so each attempt has a key of its own; a repeat makes the same attempts.
    const key = idempotency && { ...idempotency, id: attempt === 1 ? idempotency.id : `${idempotency.id}.${attempt}` };
    const writing = { ...caller, ...(ifMatch !== undefined && { ifMatch }), ...(key !== undefined && { idempotency: key }) };
    try {
      const { reply, replayed } = await callOperation(writeDraft, { project_id, files: changed(now.files) }, writing);
      const { draft } = shown(writeDraft, reply) as { draft: Draft };
      return { json: JSON.stringify({ draft, etag: (reply as { etag?: string }).etag ?? '' }), replayed };
    } catch (error) {
      const isRace = error instanceof AppError && error.code === 'edited_meanwhile' && if_match === undefined;
      if (!isRace || attempt === maxAttempts) throw error;
    }
  }
}

const known = (files: readonly File[]) => files.map((file) => [file.path, { sha256: file.sha256 }] as const);

type Written = z.output<typeof WrittenFile>;

const isText = /^(?:text\/|application\/(?:json|javascript|xml|manifest\+json)|image\/svg\+xml)/;
/** Its JSON twice, as structure and as text, and a byte of text may take six in JSON. */
const partBytes = 12_000;

const TakenBack = z.object({ tool: z.string(), name: z.string().nullable() });

export const ownTools: Readonly<Record<string, OwnTool>> = {
  list_files: {
    schema: z.strictObject({ project_id, folder: z.string({ error: 'must be a string' }).max(1024).optional(), ...page }),
    result: z.object({ files: z.array(File.omit({ sha256: true })), total: z.int(), etag, next_cursor: nextCursor }),
    async run({ project_id, folder = '', ...asked }, caller) {
      const { files, etag = '' } = await draftOf(project_id, caller);
      const found = files.filter((file) => file.path.startsWith(String(folder))).map(({ sha256: _sha256, ...file }) => file);
      return { json: slicePage('files', { files: found, total: found.length, etag }, asked) };
    },
  },

  read_file: {
    schema: z.strictObject({
      project_id,
      path,
      offset: z.int({ error: 'must be a whole number' }).min(0, 'must be at least 0').max(contentChunkBytes).optional(),
    }),
    result: z.object({ file: File, text: z.string().nullable(), next_offset: z.int().nullable() }),
    async run({ project_id, path, offset = 0 }, caller) {
      const { reply } = await callForReply(getFile.rpc, { project_id, path, max_bytes: contentChunkBytes } as never, caller);
      const { file, content } = reply as object as { file: File; content: Uint8Array };
      if (!isText.test(file.content_type)) return { json: JSON.stringify({ file, text: null, next_offset: null }) };
      return { json: textPart(file, Buffer.from(content.buffer, content.byteOffset, content.byteLength), Number(offset)) };
    },
  },

  write_files: {
    schema: z.strictObject({
      project_id,
      files: z
        .array(WrittenFile, { error: 'must be a list of files' })
        .min(1, 'must name at least one file')
        .max(maxFiles, `must have at most ${maxFiles} files`),
      if_match,
      idempotency_key: idempotencyKey,
    }),
    result: DraftResult,
    run: (values, caller) =>
      changeDraft(values, caller, (files) => {
        const written = (values.files as readonly Written[]).map(({ path, ...content }) => [path, content] as const);
        return Object.fromEntries([...known(files), ...written]);
      }),
  },

  delete_files: {
    schema: z.strictObject({
      project_id,
      paths: z
        .array(path, { error: 'must be a list of paths' })
        .min(1, 'must name at least one path')
        .max(maxFiles, `must have at most ${maxFiles} paths`),
      if_match,
      idempotency_key: idempotencyKey,
    }),
    result: DraftResult,
    run: (values, caller) =>
      changeDraft(values, caller, (files) => {
        const gone = new Set(values.paths as readonly string[]);
        return Object.fromEntries(known(files).filter(([path]) => !gone.has(path)));
      }),
  },

  get_draft: {
    schema: z.strictObject({ project_id }),
    result: DraftResult,
    async run({ project_id }, caller) {
      const { json, etag = '' } = await read(getDraft, { project_id }, caller);
      return { json: JSON.stringify({ ...JSON.parse(json), etag }) };
    },
  },

  search_docs: {
    schema: z.strictObject({
      q: z
        .string({ error: 'must be a string' })
        .min(1, 'must not be empty')
        .max(maxDocsQuery, `must have at most ${maxDocsQuery} characters`),
    }),
    result: operations.searchDocs?.output as z.ZodObject,
  },

  undo_session: {
    schema: z.strictObject({ session_id: z.uuid({ error: 'must be a UUID' }).optional() }),
    result: z.object({
      session_id: z.string(),
      undone: z.array(TakenBack),
      left: z.array(TakenBack.extend({ reason: z.string() })),
    }),
  },

  build_site: {
    schema: z.strictObject({
      project_id,
      message: z.string({ error: 'must be a string' }).min(1, 'must not be empty').max(32_000, 'must have at most 32,000 characters'),
      model: z.string({ error: 'must be a string' }).min(1, 'must not be empty').max(200).optional(),
      idempotency_key: idempotencyKey,
    }),
    result: z.object({ turn_id: z.string() }),
    async run({ project_id, message, model }, caller) {
      const { reply, replayed } = await callOperation(sendMessage, { project_id, message, model }, caller);
      return { json: JSON.stringify({ turn_id: (reply as { turn_id?: string }).turn_id }), replayed };
    },
  },

  get_build: {
    schema: z.strictObject({ project_id, turn_id: z.uuid({ error: 'must be a UUID' }).optional() }),
    result: z.object({
      turn_id: z.string().nullable(),
      state: ChatMessage.shape.state.nullable(),
      text: z.string().nullable(),
      files: z.array(z.string()),
      revision_id: z.string().nullable(),
      balance: z.int().nullable(),
    }),
    async run({ project_id, turn_id }, caller) {
      const { json } = await read(listMessages, { project_id }, caller);
      const { messages, balance } = JSON.parse(json) as { messages: ChatMessage[]; balance: number | null };
      const found = messages.filter((message) => turn_id === undefined || message.turn_id === turn_id).at(-1);
      if (found === undefined && turn_id !== undefined) throw notFound('turn_id', 'no turn of this project, or not among its latest 100');
      const { state = null, files = [], revision_id = null } = found ?? {};
      const text = found?.role === 'assistant' ? found.text : null;
      return { json: shortened(JSON.stringify({ turn_id: found?.turn_id ?? null, state, text, files, revision_id, balance })) };
    },
  },
};

const notFound = (path: string, message: string) => new AppError('validation_failed', [{ path, message: `names ${message}` }]);

/** The JSON of the text from `offset` on, as much as an agent can read, never cut within a character. */
function textPart(file: File, bytes: Buffer, offset: number): string {
  if (offset > bytes.byteLength) throw notFound('offset', 'no byte of the file');
  const isCut = bytes.byteLength < file.size;
  for (let size = partBytes; ; size >>= 1) {
    let end = Math.min(offset + size, bytes.byteLength);
    // A byte that continues a character is 10xxxxxx.
    while (end < bytes.byteLength && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
    if (isCut && end === bytes.byteLength) throw notFound('offset', `more than the ${contentChunkBytes} bytes that can be read here`);
    const text = bytes.subarray(offset, end).toString();
    const json = JSON.stringify({ file, text, next_offset: end < bytes.byteLength ? end : null });
    if (Buffer.byteLength(json) <= 20_000 || size < 100) return json;
  }
}
