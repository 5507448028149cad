import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

type Content = AsyncIterable<string | Uint8Array>;

/**
 * A ZIP archive that is written entry by entry: memory holds the parts in flight and the names of the entries. The file
 * appears under its name when it is whole.
 */
export class Archive {
  readonly #zip = new ZipFile();
  readonly #target: string;
  readonly #draft: string;
  readonly #written: Promise<void>;

  constructor(target: string) {
    this.#target = target;
    this.#draft = `${target}.${randomUUID()}.part`;
    this.#written = pipeline(this.#zip.outputStream, createWriteStream(this.#draft, { flags: 'wx', mode: 0o600 }));
    // Reported by the entry or by `close`, which wait for it.
    this.#written.catch(() => undefined);
  }

  /** Adds an entry; resolves when all of its content is taken. Rejects if reading or writing it fails. */
  async add(name: string, content: Content): Promise<void> {
    const source = Readable.from(content, { objectMode: false });
    const read = new Promise<void>((resolve, reject) => source.once('end', resolve).once('error', reject));
    this.#zip.addReadStream(source, name);
    await Promise.race([read, this.#written]);
  }

  /** Writes the directory of the archive and gives the file its name. */
  async close(): Promise<void> {
    this.#zip.end();
    await this.#written;
    await rename(this.#draft, this.#target);
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    (this.#zip.outputStream as Readable).destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#draft, { force: true });
  }
}
