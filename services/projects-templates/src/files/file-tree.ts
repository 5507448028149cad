import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { extname } from 'node:path/posix';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AppError, type File, maxSiteBytes, maxSiteFiles, pathProblem, pictureListPath } from '@webkiln/contract';
import { rulesPaths } from '@webkiln/site-rules';
import { contentType } from 'mime-types';
import { attributesOf, tagsOf } from '../html/tags.ts';

const unknown = 'application/octet-stream';
const sniffed = { text: 'text/plain; charset=utf-8', json: 'application/json; charset=utf-8', page: 'text/html; charset=utf-8' } as const;
const sniffedTypes: ReadonlySet<string> = new Set(Object.values(sniffed));
/** Types that browsers want and the table of media types lacks. */
const moreTypes: Readonly<Record<string, string>> = { '.cjs': 'text/javascript; charset=utf-8', '.svgz': 'image/svg+xml' };
const utf8 = /; charset=utf-8$/i;
/** Larger JSON is shown as text. */
const maxJsonBytes = 256 * 1024;
/** Browsers look for a page's encoding so far. */
const maxPrescannedBytes = 1024;

const typeByName = (path: string): string | undefined => {
  const extension = extname(path).toLowerCase();
  return moreTypes[extension] ?? (contentType(extension) || undefined);
};

/** True if the bytes tell the type: names without an extension, and what `.well-known` (RFC 8615) has. */
const isSniffed = (path: string) => extname(path) === '' || path.startsWith('.well-known/');

/**
 * The media type of a file: by its name, else text, JSON or HTML by its bytes. The encoding is stated for UTF-8 alone:
 * a header would win over what an older page or style says of itself.
 */
function typeOf(path: string, content: Uint8Array): string {
  const type = typeByName(path) ?? (isSniffed(path) ? typeByBytes(content) : unknown);
  return utf8.test(type) && !isStatedUtf8(type, content) ? type.replace(utf8, '') : type;
}

/** The type at another path of a content whose bytes are not at hand. */
function typeAt(path: string, typeBefore: string): string {
  const type = typeByName(path);
  if (type === undefined) return isSniffed(path) && sniffedTypes.has(typeBefore) ? typeBefore : unknown;
  return type.replace(utf8, '') === typeBefore ? typeBefore : type;
}

function typeByBytes(content: Uint8Array): string {
  if (content.byteLength === 0 || !isUtf8(content) || content.subarray(0, maxPrescannedBytes).some(isBinary)) return unknown;
  const beginning = beginningOf(content)
    .replace(/^\ufeff/, '')
    .trimStart();
  if (/^<(?:!doctype html|html)[\s>]/i.test(beginning)) return sniffed.page;
  return /^[{[]/.test(beginning) && content.byteLength <= maxJsonBytes && isJson(content) ? sniffed.json : sniffed.text;
}

/** Tab, line feed, form feed, carriage return and escape are text (MIME Sniffing standard §7.2). */
const isBinary = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
const beginningOf = (content: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(content.subarray(0, maxPrescannedBytes));

function isJson(content: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(content));
    return true;
  } catch {
    return false;
  }
}

function isStatedUtf8(type: string, content: Uint8Array): boolean {
  if (!isUtf8(content)) return false;
  if (!type.startsWith('text/html') || beginningOf(content).startsWith('\ufeff')) return true;
  const declared = declaredCharset(Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, maxPrescannedBytes)));
  return declared === undefined || /^(?:utf-?8|unicode-1-1-utf-8)$/i.test(declared);
}

/** The encoding that a `<meta>` in the beginning of a page names (HTML standard §13.2.3.2). */
function declaredCharset(beginning: Buffer): string | undefined {
  for (const tag of tagsOf(beginning)) {
    if (tag.name !== 'meta' || tag.isEndTag) continue;
    const attributes = attributesOf(beginning, tag);
    const isContentType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
    const inContent = isContentType ? /charset\s*=\s*["']?([^\s"';]+)/i.exec(attributes.get('content') ?? '')?.[1] : undefined;
    const charset = attributes.get('charset')?.trim() || inContent;
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/** A file to store. */
export interface NewFile {
  /** Relative to the site's root. */
  readonly path: string;
  readonly content: Uint8Array;
}

export const maxReportedPathLength = 200;
/** The bytes that are hashed at a time; other work of the process comes between. */
const bytesAtATime = 512 * 1024;

/**
 * Describes the files of one site, sorted by path (code unit order), with size in bytes and SHA-256 in hexadecimal.
 * Throws `validation_failed` with the path that is invalid or given twice, or the limit that is exceeded (2,000 files,
 * 25 MB). `kept` are files of the tree that are stored already.
 */
export async function fileTree(files: readonly NewFile[], kept: readonly File[] = []): Promise<File[]> {
  if (files.length + kept.length > maxSiteFiles) throw invalid('files', `must be at most ${maxSiteFiles}`);
  const size = files.reduce((bytes, { content }) => bytes + content.byteLength, 0) + kept.reduce((bytes, file) => bytes + file.size, 0);
  if (size > maxSiteBytes) throw invalid('files', 'must have at most 25 MB together');
  const seen = new Set<string>();
  for (const { path } of [...files, ...kept]) {
    const problem = seen.has(path) ? 'is given twice' : pathProblem(path);
    if (problem !== undefined) throw invalid(path.slice(0, maxReportedPathLength).toWellFormed(), problem);
    seen.add(path);
  }
  const both = fileAndFolder([...seen]);
  if (both !== undefined) throw invalid(both.slice(0, maxReportedPathLength).toWellFormed(), 'is a file and a folder at once');
  return [...kept, ...(await described(files))].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The path of a file below which there are others: no zip and no folder of a computer can hold both. */
function fileAndFolder(paths: readonly string[]): string | undefined {
  // With the lowest separator, a folder's files come next to a file of its name.
  const sorted = paths.map((path) => path.replaceAll('/', '\0')).sort();
  const at = sorted.findIndex((path, index) => sorted[index + 1]?.startsWith(`${path}\0`));
  return sorted[at]?.replaceAll('\0', '/');
}

async function described(files: readonly NewFile[]): Promise<File[]> {
  const described: File[] = [];
  let bytes = 0;
  for (const { path, content } of files) {
    const size = content.byteLength;
    bytes += size;
    const sha256 = size <= bytesAtATime ? hash('sha256', content) : await hashInParts(content);
    described.push({ path, size, sha256, content_type: typeOf(path, content) });
    if (bytes < bytesAtATime) continue;
    bytes = 0;
    await nextTick();
  }
  return described;
}

/** The record of a stored content at another path. */
export const fileOf = (path: string, { size, sha256, content_type }: File): File => ({
  path,
  size,
  sha256,
  content_type: typeAt(path, content_type),
});

async function hashInParts(content: Uint8Array): Promise<string> {
  const sha256 = createHash('sha256');
  for (let at = 0; at < content.byteLength; at += bytesAtATime) {
    sha256.update(content.subarray(at, at + bytesAtATime));
    await nextTick();
  }
  return sha256.digest('hex');
}

/** What the composer makes a site of, and the list of its pictures: parts of the draft, but nothing for visitors. */
const sourcePaths: ReadonlySet<string> = new Set(['webkiln.json', pictureListPath]);
const settingsPaths: ReadonlySet<string> = new Set(Object.values(rulesPaths));

/** True for the files of a tree that decide what visitors get: not what the site is made of. */
export const isPublished = ({ path }: Pick<File, 'path'>): boolean => !sourcePaths.has(path);

/** True for those that visitors and previews get as they are. */
export const isServed = (file: Pick<File, 'path'>): boolean => isPublished(file) && !settingsPaths.has(file.path);

/** Throws `validation_failed` if the tree lacks `index.html`. */
export function assertIsSite(tree: readonly File[]): void {
  if (!tree.some(({ path }) => path === 'index.html')) throw invalid('index.html', 'is required: a site starts with it');
}

/** Equal trees of one organization have the same id and are stored once. */
export const manifestIdOf = (orgId: string, tree: readonly File[]): string =>
  hash('sha256', JSON.stringify([orgId, tree.map(({ path, sha256, content_type }) => [path, sha256, content_type])]));

/**
 * The id for a deploy, whose manifest also references the generated forms of its files. `version` identifies how they
 * are generated.
 */
export const siteManifestIdOf = (orgId: string, tree: readonly File[], version: string): string =>
  hash('sha256', `site ${version} ${manifestIdOf(orgId, tree)}`);

const invalid = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);
