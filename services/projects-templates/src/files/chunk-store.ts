import { hash } from 'node:crypto';
import { AppError, type File } from '@webkiln/contract';
import { defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import type mongoose from 'mongoose';

/** A piece of at most 8 MB of a file's content. Its id says what it is: `org/SHA-256 of the whole file/number of the piece`. */
interface Chunk {
  _id: string;
  org_id: string;
  content: Uint8Array | mongoose.mongo.Binary;
  /** See reclaim-files.ts. */
  held_at?: Date;
}

const chunkBytes = 8 * 1024 * 1024;
const writesAtOnce = 8;
const mostChunks = 4;

export const ChunkModel = defineModel<Chunk>(
  'blob_chunks',
  { held_at: Date, content: { type: Buffer, required: true } },
  { indexes: [[{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }]] },
);

/** The ids of a file's chunks in their order; an empty file has none. */
export const chunkIdsOf = ({ org_id }: Tenant, { sha256, size }: Pick<File, 'sha256' | 'size'>): string[] =>
  Array.from({ length: Math.ceil(size / chunkBytes) }, (_, index) => `${org_id}/${sha256}/${index}`);

/** Makes chunks stay for the grace time; those that are gone stay gone. */
export async function holdChunks(tenant: Tenant, ids: readonly string[]): Promise<void> {
  await scoped(ChunkModel, tenant).updateMany({ _id: where({ $in: ids }) }, { $set: { held_at: new Date() } });
}

/** Makes sure that all contents are there and held; what is there already is not sent again. */
export async function storeContents(tenant: Tenant, files: readonly { file: File; content: Uint8Array }[]): Promise<void> {
  const missing = new Map(files.flatMap(({ file, content }) => chunkIdsOf(tenant, file).map((id, index) => [id, { content, index }])));
  const ids = [...missing.keys()];
  await holdChunks(tenant, ids);
  const stored = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: [] });
  for (const { _id } of stored) missing.delete(_id);
  const inserts = [...missing];
  while (inserts.length > 0) {
    await Promise.all(
      inserts
        .splice(0, writesAtOnce)
        .map(([id, { content, index }]) => insertChunk(tenant, id, content.subarray(index * chunkBytes, (index + 1) * chunkBytes))),
    );
  }
}

/** The content of a file. */
export async function readContent(tenant: Tenant, file: File): Promise<Uint8Array> {
  const ids = chunkIdsOf(tenant, file);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: ['content'] });
  const contents = new Map(found.map((chunk) => [chunk._id, bytesOf(chunk)]));
  return Buffer.concat(
    ids.map((id) => {
      const content = contents.get(id);
      if (content === undefined) throw new Error(`chunk ${id} is gone`);
      return content;
    }),
    file.size,
  );
}

/** A content by its SHA-256 alone; throws `file_not_found` where not all of it is there. */
export async function readBySha256(tenant: Tenant, sha256: string): Promise<Uint8Array> {
  const ids = Array.from({ length: mostChunks }, (_, index) => `${tenant.org_id}/${sha256}/${index}`);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: ['content'], sort: { _id: 1 } });
  const content = Buffer.concat(found.map(bytesOf));
  if (hash('sha256', content) !== sha256) throw new AppError('file_not_found');
  return content;
}

export const bytesOf = ({ content }: Pick<Chunk, 'content'>): Uint8Array => (content instanceof Uint8Array ? content : content.buffer);

/** What another writer stored meanwhile is as good as ours: equal, and held just now. */
export async function insertChunk(tenant: Tenant, _id: string, content: Uint8Array): Promise<void> {
  try {
    await scoped(ChunkModel, tenant).insert({ _id, content, held_at: new Date() });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}
