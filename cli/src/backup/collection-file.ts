import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Checksum } from './checksum.ts';

export interface WrittenFile {
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
export async function writeCollection(file: string, documents: AsyncIterable<Buffer>): Promise<WrittenFile> {
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
export async function writeCompressed(file: string, parts: AsyncIterable<Buffer | string>): Promise<string> {
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
