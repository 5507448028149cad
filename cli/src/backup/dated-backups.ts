import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { OperatorError } from '../operator-error.ts';
import { Manifest, manifestDraft, manifestFile, streamsFolder } from './manifest.ts';

/** How long a folder without a manifest may still be a backup that is being written. */
const unfinishedMs = 24 * 60 * 60 * 1000;
const Described = Manifest.pick({ prefix: true, taken_at: true });

/** A complete backup, in a folder that is named by the time at which it began. */
export interface DatedBackup {
  readonly name: string;
  readonly taken_at: string;
}

/** The name of a backup's folder, which sorts by time: 2026-11-25T02-17-00Z. */
export const datedName = (time: Date): string => `${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

const timeOf = (name: string) => Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));

/** The complete backups of a platform below a folder, oldest first. Throws `OperatorError`. */
export async function backupsIn(parent: string, prefix: string): Promise<DatedBackup[]> {
  const found = await Promise.all((await datedFolders(parent)).map(async (name) => ({ name, manifest: await described(parent, name) })));
  return found.flatMap(({ name, manifest }) => (manifest?.prefix === prefix ? [{ name, taken_at: manifest.taken_at }] : []));
}

/**
 * Removes all complete backups of a platform but the last `keep`, and never `written`, the caller's own: of two
 * callers at the same time, each spares the later one. Returns the removed names.
 */
export async function removeOlderBackups(parent: string, prefix: string, written: string, keep: number): Promise<string[]> {
  const removed = (await backupsIn(parent, prefix)).slice(0, -keep).flatMap(({ name }) => (name === written ? [] : name));
  for (const name of removed) {
    // A removal that breaks off must not leave a folder that looks complete.
    await rename(path.join(parent, name, manifestFile), path.join(parent, name, manifestDraft));
    await rm(path.join(parent, name), { recursive: true });
  }
  return removed;
}

/** Removes what killed backups and removals of a platform left behind, a day after they began. */
export async function removeUnfinishedBackups(parent: string, prefix: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await datedFolders(parent)) {
    const files = await readdir(path.join(parent, name));
    const isOurs = files.every((file) => file === streamsFolder || file === manifestDraft || file.startsWith(`${prefix}_`));
    if (!isOurs || Date.now() - timeOf(name) < unfinishedMs) continue;
    await rm(path.join(parent, name), { recursive: true });
    removed.push(name);
  }
  return removed;
}

async function datedFolders(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch((error: unknown) => {
    throw new OperatorError(`${parent} cannot be read: name the folder that holds the backups.`, { cause: error });
  });
  const dated = entries.filter((entry) => entry.isDirectory() && /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/.test(entry.name));
  return dated.map(({ name }) => name).toSorted();
}

/** What the manifest of a folder says; undefined if it has none, or one that nobody can read. */
async function described(parent: string, name: string) {
  try {
    return Described.parse(JSON.parse(await readFile(path.join(parent, name, manifestFile), 'utf8')));
  } catch {
    return undefined;
  }
}
