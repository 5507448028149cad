import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { AppError } from '@webkiln/contract';
import { countRefusal, KeyedCount } from '../admission/bounds.ts';
import { freeChunk } from './exchange.ts';

interface Options {
  readonly folder: string;
  /** Disk space of all bodies. A credential may have a quarter of it. */
  readonly maxBytes: number;
}

const shareOfCredential = 1 / 4;
/** Under this key all bodies are counted. */
const all = '';

/** A large body that has arrived: a file of `size` bytes. `close` closes it and frees its disk space. */
interface Upload {
  readonly fd: number;
  readonly size: number;
  readonly close: () => Promise<void>;
}

/**
 * Takes large bodies into files while they arrive, as proxies do: a slow sender costs disk space and delays no other,
 * and memory is needed only for a body that is complete. The files have no name, so a kill leaves none behind.
 */
export class Uploads {
  readonly #folder: string;
  readonly #ofAll: KeyedCount;
  readonly #ofCredentials: KeyedCount;

  constructor({ folder, maxBytes }: Options) {
    this.#folder = folder;
    this.#ofAll = new KeyedCount(maxBytes);
    this.#ofCredentials = new KeyedCount(maxBytes * shareOfCredential);
  }

  /**
   * Receives a body. Throws `body_too_large`, `body_too_slow`, `malformed_request` if it breaks off,
   * `too_many_in_flight` or `overloaded` without room.
   */
  async receive(request: IncomingMessage, maxBytes: number, credential: string): Promise<Upload> {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new AppError('body_too_large');
    const file = await this.#unnamedFile();
    let size = 0;
    const close = async () => {
      this.#ofAll.remove(all, size);
      this.#ofCredentials.remove(credential, size);
      size = 0;
      await file.close();
    };
    try {
      await eachChunk(request, async (chunk) => {
        if (size + chunk.byteLength > maxBytes) throw new AppError('body_too_large');
        this.#count(credential, chunk.byteLength);
        size += chunk.byteLength;
        await file.appendFile(chunk);
        freeChunk(chunk);
      });
    } catch (error) {
      await close();
      throw withCode(error);
    }
    return { fd: file.fd, size, close };
  }

  async #unnamedFile(): Promise<FileHandle> {
    const name = path.join(this.#folder, `webkiln-upload-${randomUUID()}`);
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return file;
  }

  #count(credential: string, bytes: number): void {
    const isOwn = !this.#ofCredentials.add(credential, bytes);
    if (!isOwn && this.#ofAll.add(all, bytes)) return;
    if (!isOwn) this.#ofCredentials.remove(credential, bytes);
    const code = isOwn ? 'too_many_in_flight' : 'overloaded';
    countRefusal('uploads', code);
    throw new AppError(code);
  }
}

/** Calls `take` with one chunk after the other; the client waits meanwhile. */
function eachChunk(request: IncomingMessage, take: (chunk: Buffer) => Promise<void>): Promise<void> {
  if (request.destroyed) return Promise.reject(new Error('the client disconnected'));
  return new Promise((resolve, reject) => {
    const stop = (error: unknown) => {
      request.off('data', onData).pause();
      reject(error);
    };
    let taken = Promise.resolve();
    const onData = (chunk: Buffer) => {
      request.pause();
      taken = take(chunk).then(() => void request.resume());
      taken.catch(stop);
    };
    const onClose = () => stop(new Error('the client disconnected'));
    request.on('data', onData).on('error', stop).on('close', onClose);
    request.on('end', () => {
      request.off('close', onClose);
      taken.then(resolve, reject);
    });
  });
}

const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

function withCode(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const isOurs = noRoom.has((error as NodeJS.ErrnoException).code ?? '');
  return new AppError(isOurs ? 'overloaded' : 'malformed_request', [], { cause: error });
}
