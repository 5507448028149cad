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
  const files = fileTree(newFiles);
  const replaced = replacedId !== null && (await leaseManifest(tenant, replacedId)) ? await filesOf(tenant, replacedId) : [];
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
