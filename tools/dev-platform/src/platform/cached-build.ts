import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../../..');

interface CachedBuild {
  /** Absolute path of the package whose `node_modules/.cache` keeps the result. */
  readonly home: string;
  /** `digestOf` what the result is made of. */
  readonly digest: string;
  /** Writes the result into an empty folder. */
  readonly build: (folder: string) => Promise<void>;
}

/** Returns the folder of a build's result; builds only if the sources have changed. Concurrent builds are safe. */
export async function cachedBuild({ home, digest, build }: CachedBuild): Promise<string> {
  const folder = path.join(home, 'node_modules/.cache/webkiln', digest);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${randomUUID()}`;
  await mkdir(unfinished, { recursive: true });
  await build(unfinished);
  // Another platform may have built the same at this moment.
  await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  return folder;
}

/** A short digest of the files that match, by path and content. Patterns are relative to the repository. */
export function digestOf(...patterns: string[]): string {
  const digest = createHash('sha256');
  for (const source of globSync(patterns, { cwd: root }).sort()) digest.update(`${source}\0`).update(readFileSync(path.join(root, source)));
  return digest.digest('hex').slice(0, 16);
}
