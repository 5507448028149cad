import { AppError, type File } from '@webkiln/contract';
import { defineModel, isDuplicate, scoped, type Tenant } from '@webkiln/store';
import mongoose from 'mongoose';
import { chunkIdsOf } from './chunk-store.ts';
import { manifestIdOf } from './file-tree.ts';

/** A content that visitors are sent in the place of another, by the SHA-256 of both. */
export interface ShownContent {
  of: string;
  sha256: string;
  size: number;
}

/** The files of one tree by path; never changed, and one however many drafts and templates have that tree. */
interface Manifest {
  _id: string;
  org_id: string;
  files: File[];
  /** Of a deploy: what is shown in the place of its pages. */
  shown?: ShownContent[];
  /** The ids of all chunks of the files, each once. */
  chunks: string[];
  /** See reclaim-files.ts. */
  held_at?: Date;
}

export const ManifestModel = defineModel<Manifest>(
  'manifests',
  {
    files: [mongoose.Schema.Types.Mixed],
    shown: { type: [mongoose.Schema.Types.Mixed], default: undefined },
    chunks: [String],
    held_at: Date,
  },
  {
    indexes: [[{ org_id: 1, chunks: 1 }], [{ org_id: 1, held_at: 1 }, { partialFilterExpression: { held_at: { $exists: true } } }]],
  },
);

/** Makes the manifest stay for the grace time, see reclaim-files.ts; false when it is gone. */
export async function holdManifest(tenant: Tenant, manifestId: string): Promise<boolean> {
  const { matchedCount } = await scoped(ManifestModel, tenant).updateOne({ _id: manifestId }, { $set: { held_at: new Date() } });
  return matchedCount === 1;
}

/** Makes sure that the tree's manifest is there and held; returns its id. Its chunks have been stored or held before. */
export async function storeManifest(tenant: Tenant, tree: readonly File[]): Promise<string> {
  const _id = manifestIdOf(tenant.org_id, tree);
  if (!(await holdManifest(tenant, _id))) {
    await insertManifest(tenant, _id, { files: [...tree], chunks: tree.flatMap((file) => chunkIdsOf(tenant, file)) });
  }
  return _id;
}

/** Adds a held manifest, unless another writer was first: it is the same one then, and held just now. */
export async function insertManifest(
  tenant: Tenant,
  _id: string,
  { chunks, ...fields }: Pick<Manifest, 'files' | 'shown' | 'chunks'>,
): Promise<void> {
  try {
    await scoped(ManifestModel, tenant).insert({ _id, ...fields, chunks: [...new Set(chunks)], held_at: new Date() });
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
}

/** A manifest that a record refers to. */
export async function existingManifest(tenant: Tenant, manifestId: string) {
  const manifest = await scoped(ManifestModel, tenant).findOne({ _id: manifestId }, { fields: ['files', 'shown', 'chunks'] });
  if (manifest === null) throw new Error(`manifest ${manifestId} is gone`);
  return manifest;
}

/** The files of a draft or template; none where it has no manifest. */
export async function filesOf(tenant: Tenant, manifestId: string | null): Promise<File[]> {
  if (manifestId === null) return [];
  const manifest = await scoped(ManifestModel, tenant).findOne({ _id: manifestId }, { fields: ['files'] });
  if (manifest === null) throw new Error(`manifest ${manifestId} is gone`);
  return manifest.files;
}

/** One file of a draft or template; throws `file_not_found`. */
export async function fileAt(tenant: Tenant, manifestId: string | null, path: string): Promise<File> {
  const files = await filesOf(tenant, manifestId);
  const file = files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new AppError('file_not_found');
  return file;
}
