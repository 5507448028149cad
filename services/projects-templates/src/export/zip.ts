import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

interface Entry {
  readonly path: string;
  readonly content: Uint8Array;
}

/** A zip of files, in the order given. The same bytes for the same files and time. */
export async function zipOf(entries: readonly Entry[], mtime: Date): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { path, content } of entries) zip.addBuffer(Buffer.from(content), path, { mtime, mode: 0o100644 });
  zip.end();
  const chunks: Buffer[] = [];
  const collected = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await pipeline(zip.outputStream, collected);
  return Buffer.concat(chunks);
}
