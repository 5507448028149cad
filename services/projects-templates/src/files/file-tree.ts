import { createHash, hash } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AppError, type File, maxSiteBytes, maxSiteFiles, pathProblem, pictureListPath } from '@webkiln/contract';
import { rulesPaths } from '@webkiln/site-rules';
import { typeAt, typeOf } from './file-type.ts';

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
