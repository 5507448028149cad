import type { File } from '@webkiln/contract';
import { storeContents } from './chunk-store.ts';
import { fileTree, type NewFile } from './file-tree.ts';
import { filesOf, leaseManifest, storeManifest } from './manifest-store.ts';
import type { FileOwner } from './stored-bytes-store.ts';

/** A tree that is stored and leased. */
export interface StoredTree {
  manifestId: string;
  files: File[];
}

/**
 * Stores the files that replace the tree `replacedId`, and leases both trees. Skips contents that both trees share: the
 * replaced tree references them. Throws `validation_failed` for files that a site must not have.
 */
export async function storeFiles(tenant: FileOwner, newFiles: readonly NewFile[], replacedId: string | null): Promise<StoredTree> {
  return storeTree(tenant, newFiles, { kept: [], replaced: await leasedFiles(tenant, replacedId) });
}

/** The same for the tree `replacedId` with some of its files written anew, added or deleted. */
export async function storeDifference(
  tenant: FileOwner,
  { written, deleted }: { written: readonly NewFile[]; deleted: readonly string[] },
  replacedId: string | null,
): Promise<StoredTree> {
  const replaced = await leasedFiles(tenant, replacedId);
  const gone = new Set([...deleted, ...written.map(({ path }) => path)]);
  return storeTree(tenant, written, { kept: replaced.filter(({ path }) => !gone.has(path)), replaced });
}

const leasedFiles = async (tenant: FileOwner, manifestId: string | null): Promise<File[]> =>
  manifestId !== null && (await leaseManifest(tenant, manifestId)) ? filesOf(tenant, manifestId) : [];

async function storeTree(
  tenant: FileOwner,
  newFiles: readonly NewFile[],
  { kept, replaced }: { kept: readonly File[]; replaced: readonly File[] },
): Promise<StoredTree> {
  const files = await fileTree(newFiles, kept);
  const stored = new Set(replaced.map(({ sha256 }) => sha256));
  const contents = new Map(newFiles.map(({ path, content }) => [path, content]));
  await storeContents(
    tenant,
    files.flatMap((file) => {
      const content = contents.get(file.path);
      return content === undefined || stored.has(file.sha256) ? [] : [{ file, content }];
    }),
  );
  return { manifestId: await storeManifest(tenant, files), files };
}
