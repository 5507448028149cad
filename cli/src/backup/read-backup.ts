import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip, gunzipSync } from 'node:zlib';
import type { ArchivedMessage, StreamArchive } from '@webkiln/events/archive';
import { OperatorError } from '../operator-error.ts';
import { collectionFile, type Manifest, metadataFile, readManifest, streamFile, type WrittenCollection } from './manifest.ts';
import { RestoreStore } from './restore-store.ts';
import { assertSecretsKnown } from './secret-fingerprints.ts';

interface Target {
  /** URL of MongoDB. */
  readonly url: string;
  readonly archive: StreamArchive;
  /** Drops what is there. */
  readonly replace: boolean;
  readonly checksSecrets: boolean;
}

/**
 * Restores a backup: databases first, then events. Everything is checked before anything is written, and every
 * collection again afterwards. A restore that broke off is run again with `replace`. Throws `OperatorError`.
 */
export async function restoreBackup(folder: string, { url, archive, replace, checksSecrets }: Target, progress: (line: string) => void) {
  const manifest = await readManifest(folder);
  if (checksSecrets) assertSecretsKnown(manifest.secrets, process.env);
  const store = new RestoreStore(url);
  try {
    const present = await store.present([...new Set(manifest.collections.map(({ database }) => database))]);
    if (present.length > 0 && !replace) {
      throw new OperatorError(
        `There are databases already: ${present.join(', ')}. --replace --confirm ${manifest.prefix} drops them first.`,
      );
    }
    const full = Object.entries(await archive.ends()).flatMap(([stream, last]) => (last > 0 ? [stream] : []));
    if (full.length > 0 && !replace) {
      throw new OperatorError(`There are events already: ${full.join(', ')}. --replace --confirm ${manifest.prefix} deletes them first.`);
    }
    for (const database of present) await store.drop(database);
    await archive.clear();
    const metadataOf = async (each: WrittenCollection) => gunzipSync(await readFile(path.join(folder, metadataFile(each)))).toString();
    for (const each of manifest.collections) {
      const documents = documentsIn(path.join(folder, collectionFile(each)));
      await store.write(each.database, each.collection, documents, await metadataOf(each));
      progress(`${each.database}.${each.collection}: ${each.documents} documents`);
    }
    await assertRestored(store, manifest);
    for (const each of manifest.collections) await store.createIndexes(each.database, each.collection, await metadataOf(each));
    for (const { stream } of manifest.streams) {
      const count = await archive.publish(stream, linesIn<ArchivedMessage>(path.join(folder, streamFile(stream))));
      progress(`${stream}: ${count} events`);
    }
    return manifest;
  } finally {
    await store.close();
  }
}

async function assertRestored(store: RestoreStore, { collections }: Manifest): Promise<void> {
  for (const { database, collection, documents, checksum } of collections) {
    const restored = await store.checksum(database, collection);
    if (restored.documents !== documents || restored.text !== checksum) {
      throw new OperatorError(
        `${database}.${collection} is not what was backed up: was something else writing? Run it again with --replace.`,
      );
    }
  }
}

const lengthBytes = 4;

/** The BSON documents of a collection's file, one after another. */
async function* documentsIn(file: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const part of createReadStream(file).pipe(createGunzip())) {
    rest = Buffer.concat([rest, part as Buffer]);
    while (rest.length >= lengthBytes && rest.length >= rest.readInt32LE()) {
      const length = rest.readInt32LE();
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }
}

/** The lines of a stream's file, parsed. */
async function* linesIn<T>(file: string): AsyncGenerator<T> {
  for await (const line of createInterface({ input: createReadStream(file).pipe(createGunzip()) })) yield JSON.parse(line) as T;
}
