import type { File } from '@webkiln/contract';
import { contentChunkBytes } from '@webkiln/messages';
import { defineModel, scoped, type Tenant, where, writeBatch } from '@webkiln/store';
import mongoose from 'mongoose';
import { chunkIdsOf, earlierChunkIdsOf, referencedIdsOf } from './chunk-ids.ts';
import { storedBytesExceeded, storedBytesLimits } from './stored-bytes.ts';
import { addBytes, type Bytes, changeStored, type FileOwner, usedBytes } from './stored-bytes-store.ts';

/** A part of a file's content, with an id of chunk-ids.ts. */
interface Chunk {
  _id: string;
  org_id: string;
  content: Uint8Array | mongoose.mongo.Binary;
  /** The bytes of the content. Counted in `stored_bytes` if set; earlier versions did not set it. */
  size?: number;
  /** A client who joined by a link was the first to store it. */
  joined?: boolean;
  /** When the lease was last renewed; see garbage-collection.ts. */
  held_at?: Date;
}

export const ChunkModel = defineModel<Chunk>(
  'blob_chunks',
  { held_at: Date, size: Number, joined: Boolean, content: { type: Buffer, required: true } },
  {
    exportedAs: 'files',
    indexes: [
      [{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }],
      [{ org_id: 1, size: 1 }, { partialFilterExpression: { size: null } }],
    ],
  },
);

/** Protects chunks from garbage collection for the grace period. Ignores chunks that are deleted already. */
export async function leaseChunks(tenant: Tenant, ids: readonly string[]): Promise<void> {
  await scoped(ChunkModel, tenant).updateMany({ _id: where({ $in: ids }) }, { $set: { held_at: new Date() } });
}

/** Leases the chunks that are stored; returns their ids. */
export async function leaseStored(tenant: Tenant, ids: readonly string[]): Promise<Set<string>> {
  await leaseChunks(tenant, ids);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: [] });
  return new Set(found.map(({ _id }) => _id));
}

/** Stores and leases all contents. Contents that are stored already are only leased. Throws `quota_exceeded`. */
export async function storeContents(tenant: FileOwner, files: readonly { file: File; content: Uint8Array }[]): Promise<void> {
  const stored = await leaseStored(
    tenant,
    files.flatMap(({ file }) => referencedIdsOf(tenant, file)),
  );
  const missing = new Map<string, Uint8Array>();
  for (const { file, content } of files) {
    const earlier = earlierChunkIdsOf(tenant, file);
    if (earlier.length > 0 && earlier.every((id) => stored.has(id))) continue;
    for (const [index, id] of chunkIdsOf(tenant, file).entries()) {
      if (!stored.has(id)) missing.set(id, content.subarray(index * contentChunkBytes, (index + 1) * contentChunkBytes));
    }
  }
  await storeChunks(tenant, [...missing]);
}

type NewChunk = readonly [id: string, content: Uint8Array];

/**
 * Stores, leases and counts chunks. Those that another call stored meanwhile are equal and freshly leased. Throws
 * `quota_exceeded`, or `unavailable` after the owner's deadline; what is stored by then is collected as garbage.
 */
export async function storeChunks(owner: FileOwner, chunks: readonly NewChunk[]): Promise<void> {
  if (chunks.length === 0) return;
  const { org_id } = owner;
  const limits = await storedBytesLimits(org_id);
  const parts = partsOf(chunks, maxTransactionBytes, ([, { byteLength }]) => byteLength);
  if (parts.length > 1) await assertRoom(owner, chunks, limits);
  for (const part of parts) await storePart(owner, part, limits);
}

/** Several parts are stored one after another: what has no room as a whole is refused before the first. */
async function assertRoom(owner: FileOwner, chunks: readonly NewChunk[], limits: Bytes): Promise<void> {
  const { used, joined } = await usedBytes(owner);
  const bytes = chunks.reduce((sum, [, { byteLength }]) => sum + byteLength, 0);
  const added = { used: bytes, joined: owner.isJoined ? bytes : 0 };
  if (used + added.used <= limits.used && (!owner.isJoined || joined + added.joined <= limits.joined)) return;
  throw storedBytesExceeded(limits, { used, joined }, added);
}

/** A cache of MongoDB of 256 MB takes transactions of some 12 MB. */
const maxTransactionBytes = 4 * 1024 * 1024;

/** Stores some chunks, all or none. */
async function storePart(owner: FileOwner, chunks: readonly NewChunk[], limits: Bytes): Promise<void> {
  const { org_id, isJoined = false } = owner;
  await changeStored(owner, async (tenant) => {
    const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: chunks.map(([id]) => id) }) }, { fields: [] });
    const stored = new Set(found.map(({ _id }) => _id));
    const missing = chunks.filter(([id]) => !stored.has(id));
    if (missing.length === 0) return;
    const used = missing.reduce((sum, [, { byteLength }]) => sum + byteLength, 0);
    const added = { used, joined: isJoined ? used : 0 };
    if (!(await addBytes(tenant, added, limits))) throw storedBytesExceeded(limits, await usedBytes(tenant), added);
    const held_at = new Date();
    const joined = isJoined ? { joined: true } : {};
    const records = missing.map(([_id, content]) => ({ org_id, record: { _id, content, size: content.byteLength, held_at, ...joined } }));
    for (const batch of partsOf(records, maxBatchBytes, ({ record }) => record.size)) await writeBatch(ChunkModel, tenant.session, batch);
  });
}

/** One message to MongoDB has so many bytes: the event loop is held while it is encoded. */
const maxBatchBytes = 1024 * 1024;

/** The items in their order, as many in a part as have at most `maxBytes` together, but at least one. */
function partsOf<T>(items: readonly T[], maxBytes: number, sizeOf: (item: T) => number): T[][] {
  const parts: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    bytes += sizeOf(item);
    if (bytes <= maxBytes) parts.at(-1)?.push(item);
    else {
      parts.push([item]);
      bytes = sizeOf(item);
    }
  }
  return parts;
}

export const bytesOf = ({ content }: Pick<Chunk, 'content'>): Uint8Array => (content instanceof Uint8Array ? content : content.buffer);

/** The sizes of chunks that are not counted, of one organization; null if all are counted. */
export async function uncountedChunks(limit: number): Promise<{ org_id: string; sizes: Map<string, number> } | null> {
  const rows = mongoose.connection.collection<{ _id: string; org_id: string; size: number | null }>(ChunkModel.collection);
  // The filter on org_id makes MongoDB use the partial index, which holds these chunks only.
  const first = await rows.findOne({ org_id: { $gt: '' }, size: null }, { projection: { org_id: 1 } });
  if (first === null) return null;
  const { org_id } = first;
  const sized = [{ $match: { org_id, size: null } }, { $limit: limit }, { $project: { size: { $binarySize: '$content' } } }];
  const found = await rows.aggregate<{ _id: string; size: number }>(sized).toArray();
  return { org_id, sizes: new Map(found.map(({ _id, size }) => [_id, size])) };
}
