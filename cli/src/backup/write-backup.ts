import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { StreamArchive } from '@webkiln/events/archive';
import { type EventStream, eventStreams } from '@webkiln/messages';
import { OperatorError } from '../operator-error.ts';
import { Checksum } from './checksum.ts';
import {
  collectionFile,
  format,
  type Manifest,
  manifestDraft,
  manifestFile,
  metadataFile,
  streamFile,
  streamsFolder,
  type WrittenCollection,
} from './manifest.ts';
import { knownFingerprints, withoutFingerprint } from './secret-fingerprints.ts';
import { type ListedCollection, Snapshot } from './snapshot-store.ts';

interface Source {
  /** URL of MongoDB. */
  readonly url: string;
  readonly prefix: string;
  readonly archive: StreamArchive;
}

/**
 * Writes all databases `<prefix>_*` as they were at one moment into a new folder, in the layout of mongodump, and the
 * events that consumers had not handled at that moment. The manifest is written last: a folder without one is no
 * backup. A failure removes the folder. `taken_at` is by this machine's clock. Throws `OperatorError`.
 */
export async function writeBackup({ url, prefix, archive }: Source, folder: string, progress: (line: string) => void): Promise<Manifest> {
  const snapshot = new Snapshot(url, prefix);
  try {
    // What was acknowledged before the moment has its effects in the snapshot; what comes later may not.
    const floors = await archive.floors();
    const listed = await snapshot.open();
    const ends = await archive.ends();
    const taken_at = new Date().toISOString();
    await makeFolder(folder);
    try {
      const streams = await writeStreams(archive, { floors, ends }, folder, progress);
      const collections: WrittenCollection[] = [];
      for (const collection of listed) {
        collections.push(await writeOne(snapshot, collection, folder));
        progress(`${collection.database}.${collection.name}: ${collections.at(-1)?.documents} documents`);
      }
      const secrets = knownFingerprints(process.env);
      const manifest: Manifest = { format, prefix, taken_at, collections, streams, secrets };
      const draft = path.join(folder, manifestDraft);
      await writeFile(draft, JSON.stringify(manifest, null, 2), { flag: 'wx', mode: 0o600, flush: true });
      await rename(draft, path.join(folder, manifestFile));
      const unchecked = withoutFingerprint(secrets);
      if (unchecked.length > 0) progress(`Not given: ${unchecked.join(', ')}. A restore cannot check them.`);
      return manifest;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  } finally {
    await snapshot.close();
  }
}

interface Bounds {
  readonly floors: Readonly<Record<EventStream, number>>;
  readonly ends: Readonly<Record<EventStream, number>>;
}

async function writeStreams(archive: StreamArchive, { floors, ends }: Bounds, folder: string, progress: (line: string) => void) {
  await mkdir(path.join(folder, streamsFolder), { mode: 0o700 });
  const streams = [];
  for (const stream of eventStreams) {
    const messages = countedLines(archive.messages(stream, { after: floors[stream], through: ends[stream] }));
    const sha256 = await writeCompressed(path.join(folder, streamFile(stream)), messages.lines);
    streams.push({ stream, messages: messages.count(), sha256 });
    progress(`${stream}: ${messages.count()} events`);
  }
  return streams;
}

async function writeOne(snapshot: Snapshot, listed: ListedCollection, folder: string): Promise<WrittenCollection> {
  const names = { database: listed.database, collection: listed.name };
  await mkdir(path.join(folder, listed.database), { recursive: true, mode: 0o700 });
  const written = await writeCollection(path.join(folder, collectionFile(names)), snapshot.documents(listed));
  const metadata = gzipSync(await snapshot.metadata(listed));
  await writeFile(path.join(folder, metadataFile(names)), metadata, { flag: 'wx', mode: 0o600, flush: true });
  return { ...names, ...written, metadata_sha256: createHash('sha256').update(metadata).digest('hex') };
}

function countedLines(messages: AsyncIterable<unknown>) {
  let count = 0;
  async function* lines() {
    for await (const message of messages) {
      count += 1;
      yield `${JSON.stringify(message)}\n`;
    }
  }
  return { lines: lines(), count: () => count };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new OperatorError(`${folder} cannot be made: name a folder that does not exist yet, in one that does.`, { cause: error });
  }
}

interface WrittenFile {
  readonly documents: number;
  /** SHA-256 of the file, hex. */
  readonly sha256: string;
  /** See `Checksum`. */
  readonly checksum: string;
}

/**
 * Writes BSON documents one after another, compressed, to a new file that only its owner may read. The file is on disk
 * when this resolves.
 */
async function writeCollection(file: string, documents: AsyncIterable<Buffer>): Promise<WrittenFile> {
  const checksum = new Checksum();
  async function* counted() {
    for await (const document of documents) {
      checksum.add(createHash('sha256').update(document).digest('hex'));
      yield document;
    }
  }
  const sha256 = await writeCompressed(file, counted());
  return { documents: checksum.documents, sha256, checksum: checksum.text };
}

/** Returns the SHA-256 of the compressed file, hex. */
async function writeCompressed(file: string, parts: AsyncIterable<Buffer | string>): Promise<string> {
  const ofFile = createHash('sha256');
  async function* hashed(compressed: AsyncIterable<Buffer>) {
    for await (const part of compressed) {
      ofFile.update(part);
      yield part;
    }
  }
  await pipeline(parts, createGzip(), hashed, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  return ofFile.digest('hex');
}
