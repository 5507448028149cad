import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import type mongoose from 'mongoose';
import { chunkIdsOf, earlierChunkIdsOf, referencedIdsOf } from './chunk-ids.ts';

/** A part of a file's content, with an id of chunk-ids.ts. */
interface Chunk {
  _id: string;
  org_id: string;
  content: Uint8Array | mongoose.mongo.Binary;
  /** When the lease was last renewed; see garbage-collection.ts. */
  held_at?: Date;
}

const writeConcurrency = 8;

export const ChunkModel = defineModel<Chunk>(
  'blob_chunks',
  { held_at: Date, content: { type: Buffer, required: true } },
  { indexes: [[{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }]] },
);

/** Protects chunks from garbage collection for the grace period. Ignores chunks that are deleted already. */
export async function leaseChunks(tenant: Tenant, ids: readonly string[]): Promise<void> {
  await scoped(ChunkModel, tenant).updateMany({ _id: where({ $in: ids }) }, { $set: { held_at: new Date() } });
}

/** Stores and leases all contents. Contents that are stored already are only leased. */
export async function storeContents(tenant: Tenant, files: readonly { file: File; content: Uint8Array }[]): Promise<void> {
  const ids = files.flatMap(({ file }) => referencedIdsOf(tenant, file));
  await leaseChunks(tenant, ids);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: [] });
  const stored = new Set(found.map(({ _id }) => _id));
  const missing = new Map<string, Uint8Array>();
  for (const { file, content } of files) {
    const earlier = earlierChunkIdsOf(tenant, file);
    if (earlier.length > 0 && earlier.every((id) => stored.has(id))) continue;
    for (const [index, id] of chunkIdsOf(tenant, file).entries()) {
      if (!stored.has(id)) missing.set(id, content.subarray(index * contentChunkBytes, (index + 1) * contentChunkBytes));
    }
  }
  const inserts = [...missing];
  while (inserts.length > 0) {
    await Promise.all(inserts.splice(0, writeConcurrency).map(([id, content]) => insertChunk(tenant, id, content)));
  }
}

export const bytesOf = ({ content }: Pick<Chunk, 'content'>): Uint8Array => (content instanceof Uint8Array ? content : content.buffer);

/** A chunk that a concurrent writer inserted first is equal and freshly leased. */
export async function insertChunk(tenant: Tenant, _id: string, content: Uint8Array): Promise<void> {
  try {
    await scoped(ChunkModel, tenant).insert({ _id, content, held_at: new Date() });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}
