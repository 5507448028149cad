import { hash } from 'node:crypto';
import { AppError, type File } from '@webkiln/contract';
import { defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import type mongoose from 'mongoose';

/** A part of a file's content, at most 8 MB. Its id is `organization/SHA-256 of the whole file/index of the chunk`. */
interface Chunk {
  _id: string;
  org_id: string;
  content: Uint8Array | mongoose.mongo.Binary;
  /** When the lease was last renewed; see garbage-collection.ts. */
  held_at?: Date;
}

const chunkBytes = 8 * 1024 * 1024;
const writeConcurrency = 8;
const maxChunks = 4;

export const ChunkModel = defineModel<Chunk>(
  'blob_chunks',
  { held_at: Date, content: { type: Buffer, required: true } },
  { indexes: [[{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }]] },
);

/** The ids of a file's chunks, in order. An empty file has none. */
export const chunkIdsOf = ({ org_id }: Tenant, { sha256, size }: Pick<File, 'sha256' | 'size'>): string[] =>
  Array.from({ length: Math.ceil(size / chunkBytes) }, (_, index) => `${org_id}/${sha256}/${index}`);

/** Protects chunks from garbage collection for the grace period. Ignores chunks that are deleted already. */
export async function leaseChunks(tenant: Tenant, ids: readonly string[]): Promise<void> {
  await scoped(ChunkModel, tenant).updateMany({ _id: where({ $in: ids }) }, { $set: { held_at: new Date() } });
}

/** Stores and leases all contents. Contents that are stored already are only leased. */
export async function storeContents(tenant: Tenant, files: readonly { file: File; content: Uint8Array }[]): Promise<void> {
  const missing = new Map(files.flatMap(({ file, content }) => chunkIdsOf(tenant, file).map((id, index) => [id, { content, index }])));
  const ids = [...missing.keys()];
  await leaseChunks(tenant, ids);
  const stored = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: [] });
  for (const { _id } of stored) missing.delete(_id);
  const inserts = [...missing];
  while (inserts.length > 0) {
    await Promise.all(
      inserts
        .splice(0, writeConcurrency)
        .map(([id, { content, index }]) => insertChunk(tenant, id, content.subarray(index * chunkBytes, (index + 1) * chunkBytes))),
    );
  }
}

export async function readContent(tenant: Tenant, file: File): Promise<Uint8Array> {
  const ids = chunkIdsOf(tenant, file);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: ['content'] });
  const contents = new Map(found.map((chunk) => [chunk._id, bytesOf(chunk)]));
  return Buffer.concat(
    ids.map((id) => {
      const content = contents.get(id);
      if (content === undefined) throw new Error(`chunk ${id} is missing`);
      return content;
    }),
    file.size,
  );
}

/** Reads a content of unknown size. Throws `file_not_found` unless all of it is stored. */
export async function readBySha256(tenant: Tenant, sha256: string): Promise<Uint8Array> {
  const ids = Array.from({ length: maxChunks }, (_, index) => `${tenant.org_id}/${sha256}/${index}`);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: ['content'], sort: { _id: 1 } });
  const content = Buffer.concat(found.map(bytesOf));
  if (hash('sha256', content) !== sha256) throw new AppError('file_not_found');
  return content;
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
