import { hash } from 'node:crypto';
import { extname } from 'node:path/posix';
import { AppError, type File } from '@webkiln/contract';
import { contentType } from 'mime-types';
import { pathProblem } from './file-path.ts';

/** A file as it is handed in: `path` relative to the site's root. */
export interface NewFile {
  readonly path: string;
  readonly content: Uint8Array;
}

const maxFiles = 2000;
const maxBytes = 25 * 1024 * 1024;
const longestNamed = 200;

/**
 * The files of one site by path (code unit order), each with its size in bytes and the SHA-256 of its content in hexadecimal.
 * Throws `validation_failed` naming a path that is unusable or given twice, or the limit (2,000 files, 25 MB) that is passed.
 */
export function fileTree(files: readonly NewFile[]): File[] {
  if (files.length > maxFiles) throw invalid('files', `must be at most ${maxFiles}`);
  if (files.reduce((bytes, { content }) => bytes + content.byteLength, 0) > maxBytes)
    throw invalid('files', 'must have at most 25 MB together');
  const seen = new Set<string>();
  for (const { path } of files) {
    const problem = seen.has(path) ? 'is given twice' : pathProblem(path);
    if (problem !== undefined) throw invalid(path.slice(0, longestNamed).toWellFormed(), problem);
    seen.add(path);
  }
  return files.map(described).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Throws `validation_failed` for files that make no site. */
export function assertIsSite(tree: readonly File[]): void {
  if (!tree.some(({ path }) => path === 'index.html')) throw invalid('index.html', 'is required: a site starts with it');
}

/** Equal trees of one organization have one id, so that they are stored once. */
export const manifestIdOf = (orgId: string, tree: readonly File[]): string =>
  hash('sha256', JSON.stringify([orgId, tree.map(({ path, sha256, content_type }) => [path, sha256, content_type])]));

/** The same for a deploy, which refers besides to what is made of the files, in one way or `version` of it. */
export const siteManifestIdOf = (orgId: string, tree: readonly File[], version: number): string =>
  hash('sha256', `site ${version} ${manifestIdOf(orgId, tree)}`);

const invalid = (path: string, message: string) => new AppError('validation_failed', [{ path, message }]);

const described = ({ path, content }: NewFile): File => ({
  path,
  size: content.byteLength,
  sha256: hash('sha256', content),
  content_type: contentType(extname(path)) || 'application/octet-stream',
});
