import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventStreams } from '@webkiln/messages';
import * as z from 'zod';
import { OperatorError } from '../operator-error.ts';
import { Fingerprint } from './secret-fingerprints.ts';

export const format = 2;

const WrittenCollection = z.object({
  database: z.string(),
  collection: z.string(),
  documents: z.int(),
  sha256: z.string(),
  checksum: z.string(),
  metadata_sha256: z.string(),
});
export type WrittenCollection = z.output<typeof WrittenCollection>;

const WrittenStream = z.object({ stream: z.enum(eventStreams), messages: z.int(), sha256: z.string() });

export const Manifest = z.object({
  format: z.literal(format),
  prefix: z.string(),
  taken_at: z.string(),
  collections: z.array(WrittenCollection),
  streams: z.array(WrittenStream),
  secrets: z.array(Fingerprint),
});
export type Manifest = z.output<typeof Manifest>;

/** Paths below the folder of a backup. */
export const manifestFile = 'manifest.json';
export const manifestDraft = 'manifest.json.part';
export const streamsFolder = 'streams';
export const collectionFile = ({ database, collection }: Pick<WrittenCollection, 'database' | 'collection'>) =>
  path.join(database, `${encodeURIComponent(collection)}.bson.gz`);
export const metadataFile = ({ database, collection }: Pick<WrittenCollection, 'database' | 'collection'>) =>
  path.join(database, `${encodeURIComponent(collection)}.metadata.json.gz`);
export const streamFile = (stream: string) => path.join(streamsFolder, `${stream}.jsonl.gz`);

/** Reads the manifest and checks the hash of every file. Throws `OperatorError`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(path.join(folder, manifestFile), 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${folder} has no manifest.json: it is no backup, or one that was not finished.`, { cause: error });
  });
  const { data: manifest, error } = Manifest.safeParse(JSON.parse(text));
  if (manifest === undefined) throw new OperatorError(`${folder} was written in another format than ${format}.`, { cause: error });
  const files = [
    ...manifest.collections.map((each) => [collectionFile(each), each.sha256] as const),
    ...manifest.collections.map((each) => [metadataFile(each), each.metadata_sha256] as const),
    ...manifest.streams.map(({ stream, sha256 }) => [streamFile(stream), sha256] as const),
  ];
  for (const [name, wanted] of files) {
    if ((await hashOf(path.join(folder, name))) !== wanted) throw new OperatorError(`${name} is damaged or missing. Nothing was written.`);
  }
  return manifest;
}

async function hashOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(file)) hash.update(part);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
