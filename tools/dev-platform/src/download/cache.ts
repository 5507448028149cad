import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

const abandonedAfterMs = 3_600_000;

/**
 * The download cache, shared by all checkouts of this user; scripts/with-toolchain.mjs has the same default. An empty
 * variable counts as unset, as in the XDG Base Directory Specification.
 */
export function cacheFolder(): string {
  const { WEBKILN_CACHE, XDG_CACHE_HOME } = process.env;
  return path.resolve(WEBKILN_CACHE || path.join(XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'webkiln'));
}

const inFlight = new Map<string, Promise<string>>();

/**
 * Returns the folder `name` of the cache. If it is missing, `fill` fills it first. It appears atomically, even if a
 * process dies or several processes fill it at once.
 */
export function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(cacheFolder(), name);
  const pending = inFlight.get(folder) ?? filled(folder, fill).finally(() => inFlight.delete(folder));
  inFlight.set(folder, pending);
  return pending;
}

async function filled(folder: string, fill: (folder: string) => Promise<void>): Promise<string> {
  if (await exists(folder)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  await removeAbandoned(folder);
  const draft = await mkdtemp(draftsOf(folder));
  try {
    await fill(draft);
    await rename(draft, folder);
  } catch (error) {
    if (!(await exists(folder))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

const draftsOf = (folder: string) => `${folder}.draft-`;

function exists(file: string): Promise<boolean> {
  return access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Removes the drafts of processes that were killed. */
async function removeAbandoned(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const drafts = (await readdir(parent)).map((name) => path.join(parent, name)).filter((file) => file.startsWith(draftsOf(folder)));
  for (const draft of drafts) {
    // Undefined if the process that was filling it has finished by now.
    const found = await stat(draft).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs) await rm(draft, { recursive: true, force: true });
  }
}
