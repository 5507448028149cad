import { AppError, type File } from '@webkiln/contract';
import { defineModel, isDuplicate, type Scope, scoped, type Tenant, where } from '@webkiln/store';
import mongoose from 'mongoose';
import { referencedIdsOf } from './chunk-ids.ts';
import { ChunkModel } from './chunk-store.ts';
import { manifestIdOf } from './file-tree.ts';
import { storedBytesExceeded, storedBytesLimits } from './stored-bytes.ts';
import { addBytes, changeStored, type FileOwner, usedBytes } from './stored-bytes-store.ts';

/**
 * A content (`sha256`, `size`) that visitors get instead of the original content `of`. Both are identified by SHA-256.
 */
interface ShownContent {
  of: string;
  sha256: string;
  size: number;
}

/** The files of one tree, sorted by path. Immutable, and shared by all drafts and templates with an equal tree. */
interface Manifest {
  _id: string;
  org_id: string;
  files: File[];
  /** Only in manifests of deploys: what visitors get instead of some files. */
  shown?: ShownContent[];
  /** The ids of all chunks that the tree references, without duplicates. */
  chunks: string[];
  /** Its bytes, counted in `stored_bytes`; those of small lists are not, nor did earlier versions count any. */
  size?: number;
  /** True if it counts on the share of clients who joined by a link. */
  joined?: boolean;
  /** When the lease was last renewed; see garbage-collection.ts. */
  held_at?: Date;
}

export const ManifestModel = defineModel<Manifest>(
  'manifests',
  {
    files: [mongoose.Schema.Types.Mixed],
    shown: { type: [mongoose.Schema.Types.Mixed], default: undefined },
    chunks: [String],
    size: Number,
    joined: Boolean,
    held_at: Date,
  },
  {
    exportedAs: 'files',
    indexes: [[{ org_id: 1, chunks: 1 }], [{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }]],
  },
);

/** Protects the manifest from garbage collection for the grace period. False if it is deleted already. */
export async function leaseManifest(tenant: Tenant, manifestId: string): Promise<boolean> {
  const { matchedCount } = await scoped(ManifestModel, tenant).updateOne({ _id: manifestId }, { $set: { held_at: new Date() } });
  return matchedCount === 1;
}

/** The same for several manifests. Ignores those that are deleted already. */
export async function leaseManifests(tenant: Tenant, manifestIds: readonly string[]): Promise<void> {
  if (manifestIds.length === 0) return;
  await scoped(ManifestModel, tenant).updateMany({ _id: where({ $in: manifestIds }) }, { $set: { held_at: new Date() } });
}

/** Stores or leases the tree's manifest and returns its id. The caller has stored or leased the chunks. */
export async function storeManifest(tenant: FileOwner, tree: readonly File[]): Promise<string> {
  const _id = manifestIdOf(tenant.org_id, tree);
  if (!(await leaseManifest(tenant, _id))) {
    await insertManifest(tenant, _id, { files: [...tree], chunks: tree.flatMap((file) => referencedIdsOf(tenant, file)) });
  }
  return _id;
}

/** A list of some ten files costs no transaction. */
const uncountedBytes = 4_096;

/**
 * Inserts a leased manifest, and counts its bytes unless it is small. One that a concurrent writer inserted first is
 * equal and freshly leased. Throws `quota_exceeded`.
 */
export async function insertManifest(
  tenant: FileOwner,
  _id: string,
  { chunks, ...fields }: Pick<Manifest, 'files' | 'shown' | 'chunks'>,
): Promise<void> {
  const listed = { ...fields, chunks: [...new Set(chunks)] };
  const size = Buffer.byteLength(JSON.stringify(listed));
  const { org_id, isJoined = false } = tenant;
  const insert = (scope: Scope, counted: Pick<Manifest, 'size' | 'joined'>) =>
    scoped(ManifestModel, scope).insert({ _id, ...listed, ...counted, held_at: new Date() });
  try {
    if (size <= uncountedBytes) return void (await insert(tenant, {}));
    const limits = await storedBytesLimits(org_id);
    const added = { used: size, joined: isJoined ? size : 0 };
    await changeStored(tenant, async (changing) => {
      if (!(await addBytes(changing, added, limits))) throw storedBytesExceeded(limits, await usedBytes(changing), added);
      await insert(changing, { size, ...(isJoined && { joined: true }) });
    });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** A manifest that is referenced, and therefore must exist. */
export async function existingManifest(tenant: Tenant, manifestId: string) {
  const manifest = await scoped(ManifestModel, tenant).findOne({ _id: manifestId }, { fields: ['files', 'shown', 'chunks'] });
  if (manifest === null) throw new Error(`manifest ${manifestId} is missing`);
  return manifest;
}

/** The files of a draft or template. Empty if `manifestId` is null. */
export async function filesOf(tenant: Tenant, manifestId: string | null): Promise<File[]> {
  if (manifestId === null) return [];
  const manifest = await scoped(ManifestModel, tenant).findOne({ _id: manifestId }, { fields: ['files'] });
  if (manifest === null) throw new Error(`manifest ${manifestId} is missing`);
  return manifest.files;
}

/** One file of a draft or template. Throws `file_not_found`. */
export async function fileAt(tenant: Tenant, manifestId: string | null, path: string): Promise<File> {
  const files = await filesOf(tenant, manifestId);
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new AppError('file_not_found');
  return file;
}

/** The organizations that have manifests or chunks whose lease was last renewed before that time. */
export async function organizationsWithExpiredLeases(expiredBefore: Date): Promise<Set<string>> {
  // The filter on org_id makes MongoDB use the partial index, which holds leased documents only.
  const leased = { org_id: { $gt: '' }, held_at: { $lt: expiredBefore } };
  const organizations = await Promise.all(
    [ManifestModel, ChunkModel].map(({ collection }) =>
      mongoose.connection.collection<{ org_id: string }>(collection).distinct('org_id', leased),
    ),
  );
  return new Set(organizations.flat());
}
