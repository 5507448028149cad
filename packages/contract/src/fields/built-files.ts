import * as z from 'zod';
import { Bytes, wire } from '../wire/wire.ts';
import { pathProblem } from './file-path.ts';
import { base64Lines, filePath, sha256Text } from './patterns.ts';

/** A file of a site, `path` relative to its root. `sha256` stands for a content that is stored already. */
interface SentFile {
  path: string;
  content: Buffer;
  sha256?: string;
}

const DraftFile = z.object({ path: z.string(), content: Bytes, sha256: z.string().optional() }).register(wire, { message: 'DraftFile' });

/** The files of one site, and their bytes together. */
export const maxSiteFiles = 2000;
export const maxSiteBytes = 25 * 1024 * 1024;
/** A body with all of them, in base64. */
export const maxSiteBodyBytes = 40 * 1024 * 1024;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

const Encoded = z.strictObject({
  content: z.string({ error: 'must be a string' }),
  encoding: z.enum(['utf8', 'base64'], { error: 'must be utf8 or base64' }).default('utf8'),
});

const Known = z.strictObject({ sha256: z.string().regex(new RegExp(sha256Text)) });

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** In the document a reference; as an object it would stay there as a keyword beside the reference. */
const shownAs =
  (name: string) =>
  ({ jsonSchema }: { jsonSchema: object }) =>
    void Object.assign(jsonSchema, component(name));
const encoded = (description: string, content: object, encoding: string, required: readonly string[]) => ({
  description,
  type: 'object' as const,
  properties: { content, encoding: { const: encoding, description: `How \`content\` is written: \`${encoding}\`` } },
  required: [...required],
  additionalProperties: false,
});

const siteOf = (description: string, file: string) => ({
  description,
  type: 'object' as const,
  additionalProperties: component(file),
  propertyNames: { pattern: filePath, maxLength: 1024 },
  required: ['index.html'],
  maxProperties: maxSiteFiles,
});

/** Files as the API document has them, by the names of their components. */
export const documentedFiles = {
  SiteFiles: siteOf('The files of a site by their paths, at most 2,000 and 25 MB', 'SentFile'),
  DraftFiles: siteOf('The files of a draft by their paths, at most 2,000 and 25 MB', 'DraftFile'),
  SentFile: {
    description: 'The content of a file: text, the same with its encoding, or bytes as base64',
    anyOf: [{ type: 'string' as const, description: 'The text of the file' }, component('TextFile'), component('Base64File')],
  },
  TextFile: encoded('A file of text', { type: 'string', description: 'The text of the file' }, 'utf8', ['content']),
  Base64File: encoded(
    'A file of bytes, such as a picture',
    { type: 'string', pattern: base64Lines, description: 'The bytes, as base64 with padding (RFC 4648); line breaks are allowed' },
    'base64',
    ['content', 'encoding'],
  ),
  DraftFile: {
    description: 'The content of a file, or the digest of one that the project has already',
    anyOf: [component('SentFile'), component('KnownFile')],
  },
  KnownFile: {
    description: 'A content that the draft or the live site has, so that it need not be sent again',
    type: 'object' as const,
    properties: { sha256: { type: 'string' as const, pattern: sha256Text, description: 'SHA-256 of the content, in hexadecimal' } },
    required: ['sha256'],
    additionalProperties: false,
  },
};

/** The bytes of one file, or the problem with its value. The files of a zip are bytes already. */
function contentOf(given: unknown): Buffer | string {
  if (Buffer.isBuffer(given)) return given;
  const { content, encoding } = typeof given === 'string' ? { content: given, encoding: 'utf8' } : (Encoded.safeParse(given).data ?? {});
  if (content === undefined) return 'must be text, or an object of content and encoding (utf8 or base64)';
  if (encoding === 'utf8') return content.isWellFormed() ? Buffer.from(content) : 'must be valid Unicode text: send bytes as base64';
  // Checks for RFC 4648 §4 with padding, because Node's decoder accepts any text. Many encoders break lines (RFC 2045).
  const oneLine = content.replace(/[\r\n]+/g, '');
  return oneLine.length % 4 === 0 && base64Form.test(oneLine) ? Buffer.from(oneLine, 'base64') : 'must be valid base64';
}

/** Converts one file, `"<text>" | { content, encoding }`, to its bytes. */
export const SentContent = z
  .unknown()
  .transform((given, { addIssue }): Buffer => {
    const content = contentOf(given);
    if (typeof content !== 'string') return content;
    addIssue({ code: 'custom', message: content });
    return Buffer.alloc(0);
  })
  .meta({ override: shownAs('SentFile') })
  .register(wire, { as: Bytes });

/** Converts `{ "<path>": "<text>" | { content, encoding } }` to a list: any path is allowed, `__proto__` too. */
const siteFiles = (fileOf: (path: string, value: unknown) => SentFile | string, name: string) =>
  z
    .unknown()
    .transform((given, { addIssue }): SentFile[] => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        addIssue({ code: 'custom', message: 'must be an object of files by path' });
        return [];
      }
      if (Object.keys(given).length > maxSiteFiles) {
        addIssue({ code: 'custom', message: `must be at most ${maxSiteFiles} files` });
        return [];
      }
      const files = Object.entries(given).map(([path, value]) => {
        const file = pathProblem(path) ?? fileOf(path, value);
        if (typeof file !== 'string') return file;
        addIssue({ code: 'custom', path: [path], message: file });
        return { path, content: Buffer.alloc(0) };
      });
      if (!Object.hasOwn(given, 'index.html')) addIssue({ code: 'custom', message: 'must hold an index.html' });
      return files;
    })
    .meta({ override: shownAs(name) })
    .register(wire, { as: z.array(DraftFile) });

function wholeFile(path: string, value: unknown): SentFile | string {
  const content = contentOf(value);
  return typeof content === 'string' ? content : { path, content };
}

/** The files of a site that is published. */
export const BuiltFiles = siteFiles(wholeFile, 'SiteFiles');

/** The files of a draft: `{ sha256 }` names a content that the project has already. */
export const DraftFiles = siteFiles((path, value) => {
  // Not of a zip's files: zod would look at each byte as a field.
  const { data } = Buffer.isBuffer(value) ? {} : Known.safeParse(value);
  return data === undefined ? wholeFile(path, value) : { path, content: Buffer.alloc(0), sha256: data.sha256 };
}, 'DraftFiles');
