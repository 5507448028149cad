import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { OperatorError } from '../operator-error.ts';
import { writeCollection } from './collection-file.ts';
import { Snapshot } from './snapshot-store.ts';

const format = 1;

/**
 * Writes all databases `<prefix>_*` as they were at one moment into a new folder, in the layout of mongodump. The
 * manifest is written last: a folder without one is no backup. `taken_at` is by this machine's clock. Throws
 * `OperatorError`.
 */
export async function writeBackup(url: string, prefix: string, folder: string, progress: (line: string) => void) {
  const snapshot = new Snapshot(url, prefix);
  try {
    const listed = await snapshot.open();
    const taken_at = new Date().toISOString();
    await makeFolder(folder);
    const collections = [];
    for (const collection of listed) {
      const name = path.join(collection.database, encodeURIComponent(collection.name));
      await mkdir(path.join(folder, collection.database), { recursive: true, mode: 0o700 });
      const written = await writeCollection(path.join(folder, `${name}.bson.gz`), snapshot.documents(collection));
      const metadata = gzipSync(await snapshot.metadata(collection));
      await writeFile(path.join(folder, `${name}.metadata.json.gz`), metadata, { flag: 'wx', mode: 0o600, flush: true });
      const metadata_sha256 = createHash('sha256').update(metadata).digest('hex');
      collections.push({ database: collection.database, collection: collection.name, ...written, metadata_sha256 });
      progress(`${collection.database}.${collection.name}: ${written.documents} documents`);
    }
    const manifest = { format, prefix, taken_at, collections };
    const draft = path.join(folder, 'manifest.json.part');
    await writeFile(draft, JSON.stringify(manifest, null, 2), { flag: 'wx', mode: 0o600, flush: true });
    await rename(draft, path.join(folder, 'manifest.json'));
    return manifest;
  } finally {
    await snapshot.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new OperatorError(`${folder} cannot be made: name a folder that does not exist yet, in one that does.`, { cause: error });
  }
}
