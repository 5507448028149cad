import * as z from 'zod';

/** A file of a site as it is published: `path` relative to its root. */
export interface BuiltFile {
  path: string;
  content: Buffer;
}

const mostFiles = 2000;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

const Encoded = z.strictObject({
  content: z.string({ error: 'must be a string' }),
  encoding: z.enum(['utf8', 'base64'], { error: 'must be utf8 or base64' }).default('utf8'),
});
const Content = z.union([z.string(), Encoded]);

const { $schema: _dialect, ...documented } = z.toJSONSchema(Content, { io: 'input' });

/** The bytes of one file, or what is wrong with what was given for it. */
function contentOf(given: unknown): Buffer | string {
  const { content, encoding } = typeof given === 'string' ? { content: given, encoding: 'utf8' } : (Encoded.safeParse(given).data ?? {});
  if (content === undefined) return 'must be text, or an object of content and encoding (utf8 or base64)';
  if (encoding === 'utf8') return content.isWellFormed() ? Buffer.from(content) : 'must be valid Unicode text: send bytes as base64';
  // RFC 4648 section 4, with its padding: Node's decoder takes anything.
  return content.length % 4 === 0 && base64Form.test(content) ? Buffer.from(content, 'base64') : 'must be valid base64';
}

/** `{ "<path>": "<text>" | { content, encoding } }` as a list of files. Not a record: any path is one, `__proto__` too. */
export const BuiltFiles = z
  .unknown()
  .transform((given, { addIssue }): BuiltFile[] => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      addIssue({ code: 'custom', message: 'must be an object of files by path' });
      return [];
    }
    if (Object.keys(given).length > mostFiles) {
      addIssue({ code: 'custom', message: `must be at most ${mostFiles} files` });
      return [];
    }
    const files = Object.entries(given).map(([path, value]) => {
      const content = contentOf(value);
      if (typeof content !== 'string') return { path, content };
      addIssue({ code: 'custom', path: [path], message: content });
      return { path, content: Buffer.alloc(0) };
    });
    if (files.length === 0) addIssue({ code: 'custom', message: 'must hold an index.html' });
    return files;
  })
  .meta({ override: { type: 'object', additionalProperties: documented as object } });
