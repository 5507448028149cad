import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface WrittenFile {
  readonly documents: number;
  /** SHA-256 of the file, hex. */
  readonly sha256: string;
  /** The sum of the documents' SHA-256 modulo 2^256, hex: equal for equal documents in any order. */
  readonly checksum: string;
}

/**
 * Writes BSON documents one after another, compressed, to a new file that only its owner may read. The file is on disk
 * when this resolves.
 */
export async function writeCollection(file: string, documents: AsyncIterable<Buffer>): Promise<WrittenFile> {
  let count = 0;
  let sum = 0n;
  const ofFile = createHash('sha256');
  async function* counted() {
    for await (const document of documents) {
      count += 1;
      sum = BigInt.asUintN(256, sum + BigInt(`0x${createHash('sha256').update(document).digest('hex')}`));
      yield document;
    }
  }
  async function* hashed(compressed: AsyncIterable<Buffer>) {
    for await (const part of compressed) {
      ofFile.update(part);
      yield part;
    }
  }
  await pipeline(counted, createGzip(), hashed, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  return { documents: count, sha256: ofFile.digest('hex'), checksum: sum.toString(16).padStart(64, '0') };
}
