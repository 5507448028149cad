import { hash } from 'node:crypto';
import { AppError, type File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { Semaphore } from '@webkiln/runtime';
import { scoped, type Tenant, where } from '@webkiln/store';
import { chunkIdAt, chunkIdsOf, earlierChunkIdsOf, wholeChunkBytes, wholeChunkId } from './chunk-ids.ts';
import { bytesOf, ChunkModel } from './chunk-store.ts';

const maxContentBytes = 25 * 1024 * 1024;
const maxWaitMs = 5000;
const maxWaiting = 1000;

/** One permit per byte that a read may take, so that many readers together stay within a bound. */
const reads = new Semaphore({
  permits: 4 * wholeChunkBytes,
  maxWaiting,
  maxWaitMs,
  refusal: () => new AppError('overloaded'),
});

/** The whole content of a stored file. */
export async function readContent(tenant: Tenant, file: File): Promise<Uint8Array> {
  const content = (await readChunks(tenant, chunkIdsOf(tenant, file))) ?? (await readChunks(tenant, earlierChunkIdsOf(tenant, file)));
  if (content?.byteLength !== file.size) throw new Error(`the content ${file.sha256} of ${tenant.org_id} is incomplete`);
  return content;
}

/** The content of a stored file up to `maxBytes`; 0 for all of it. */
export const readBeginning = async (tenant: Tenant, file: File, maxBytes: number): Promise<Uint8Array> =>
  maxBytes > 0 && file.size > maxBytes
    ? (await readPart(tenant, file.sha256, 0, maxBytes)).content
    : reads.run(() => readContent(tenant, file), file.size);

/** The contents of stored files of at most one chunk each, by SHA-256. */
export async function readSmallContents(tenant: Tenant, files: readonly File[]): Promise<Map<string, Uint8Array>> {
  const distinct = [...new Map(files.filter(({ size }) => size > 0).map((file) => [file.sha256, file])).values()];
  const bytes = distinct.reduce((sum, { size }) => sum + size, 0);
  const contents = await reads.run(
    () =>
      find(
        tenant,
        distinct.flatMap((file) => chunkIdsOf(tenant, file)),
      ),
    bytes,
  );
  return new Map(
    distinct.map(({ sha256 }, index) => {
      const content = contents[index];
      if (content === undefined) throw new Error(`the content ${sha256} of ${tenant.org_id} is incomplete`);
      return [sha256, content];
    }),
  );
}

/** Reads a content of unknown size. Throws `file_not_found` unless all of it is stored. */
export async function readBySha256(tenant: Tenant, sha256: string): Promise<Uint8Array> {
  const largest = { sha256, size: maxContentBytes };
  for (const ids of [chunkIdsOf(tenant, largest), earlierChunkIdsOf(tenant, largest)]) {
    const content = Buffer.concat((await find(tenant, ids)).filter((chunk) => chunk !== undefined));
    if (hash('sha256', content) === sha256) return content;
  }
  throw new AppError('file_not_found');
}

interface Part {
  readonly content: Uint8Array;
  /** Bytes of the chunk that the part is from. */
  readonly chunkBytes: number;
}

/**
 * Reads at most `length` bytes of a content from `offset`; fewer where a chunk ends. `name` is the SHA-256 of a plain
 * content, or of chunk-ids.ts for an encoded one. Throws `file_not_found` if they are not stored, `overloaded`.
 */
export async function readPart(tenant: Tenant, name: string, offset: number, length: number): Promise<Part> {
  const isSmall = offset + length < contentChunkBytes;
  const found = isSmall
    ? undefined
    : await readAt(tenant, chunkIdAt(tenant, name, offset), offset % contentChunkBytes, length, contentChunkBytes);
  if (found !== undefined) return found;
  const maxBytes = isSmall ? length : wholeChunkBytes;
  const part = await readAt(tenant, wholeChunkId(tenant, name, offset), offset % wholeChunkBytes, length, maxBytes);
  if (part === undefined) throw new AppError('file_not_found');
  return part;
}

const readAt = (tenant: Tenant, id: string, from: number, length: number, maxBytes: number): Promise<Part | undefined> =>
  reads.run(async () => {
    const [chunk] = await find(tenant, [id]);
    return chunk && { content: chunk.subarray(from, from + length), chunkBytes: chunk.byteLength };
  }, maxBytes);

/** The content of all these chunks, undefined if one is missing. */
async function readChunks(tenant: Tenant, ids: readonly string[]): Promise<Uint8Array | undefined> {
  const chunks = await find(tenant, ids);
  return chunks.every((chunk) => chunk !== undefined) ? Buffer.concat(chunks) : undefined;
}

/** In the order of their ids; undefined where there is none. */
async function find(tenant: Tenant, ids: readonly string[]): Promise<(Uint8Array | undefined)[]> {
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: ['content'] });
  const contents = new Map(found.map((chunk) => [chunk._id, bytesOf(chunk)]));
  return ids.map((id) => contents.get(id));
}
