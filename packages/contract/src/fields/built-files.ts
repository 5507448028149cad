import * as z from 'zod';
import { Bytes, wire } from '../wire/wire.ts';
import { pathProblem } from './file-path.ts';
import { base64Text, filePath } from './patterns.ts';

/** A file of a site as it is published: `path` relative to its root. */
export interface BuiltFile {
  path: string;
  content: Buffer;
}

const DraftFile = z.object({ path: z.string(), content: Bytes }).register(wire, { message: 'DraftFile' });

const maxFiles = 2000;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

const Encoded = z.strictObject({
  content: z.string({ error: 'must be a string' }),
  encoding: z.enum(['utf8', 'base64'], { error: 'must be utf8 or base64' }).default('utf8'),
});

/** A file in the API document: text, or an object whose `content` is base64 if its `encoding` is. */
const documentedFile = {
  anyOf: [
    { type: 'string' },
    ...[
      { content: { type: 'string' }, encoding: { const: 'utf8' } },
      { content: { type: 'string', pattern: base64Text }, encoding: { const: 'base64' } },
    ].map((properties, at) => ({
      type: 'object',
      properties,
      required: at === 0 ? ['content'] : ['content', 'encoding'],
      additionalProperties: false,
    })),
  ],
} as const;

/** The bytes of one file, or the problem with its value. */
function contentOf(given: unknown): Buffer | string {
  const { content, encoding } = typeof given === 'string' ? { content: given, encoding: 'utf8' } : (Encoded.safeParse(given).data ?? {});
  if (content === undefined) return 'must be text, or an object of content and encoding (utf8 or base64)';
  if (encoding === 'utf8') return content.isWellFormed() ? Buffer.from(content) : 'must be valid Unicode text: send bytes as base64';
  // Checks for RFC 4648 §4 with padding, because Node's decoder accepts any text.
  return content.length % 4 === 0 && base64Form.test(content) ? Buffer.from(content, 'base64') : 'must be valid base64';
}

/** Converts `{ "<path>": "<text>" | { content, encoding } }` to a list: any path is allowed, `__proto__` too. */
export const BuiltFiles = z
  .unknown()
  .transform((given, { addIssue }): BuiltFile[] => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      addIssue({ code: 'custom', message: 'must be an object of files by path' });
      return [];
    }
    if (Object.keys(given).length > maxFiles) {
      addIssue({ code: 'custom', message: `must be at most ${maxFiles} files` });
      return [];
    }
    const files = Object.entries(given).map(([path, value]) => {
      const content = pathProblem(path) ?? contentOf(value);
      if (typeof content !== 'string') return { path, content };
      addIssue({ code: 'custom', path: [path], message: content });
      return { path, content: Buffer.alloc(0) };
    });
    if (!Object.hasOwn(given, 'index.html')) addIssue({ code: 'custom', message: 'must hold an index.html' });
    return files;
  })
  .meta({
    override: {
      type: 'object',
      additionalProperties: documentedFile as object,
      propertyNames: { pattern: filePath, maxLength: 1024 },
      required: ['index.html'],
      maxProperties: maxFiles,
    },
  })
  .register(wire, { as: z.array(DraftFile) });
