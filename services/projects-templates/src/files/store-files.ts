import type { File } from '@webkiln/contract';
import type { Tenant } from '@webkiln/store';
import { storeContents } from './chunk-store.ts';
import { fileTree, type NewFile } from './file-tree.ts';
import { filesOf, holdManifest, storeManifest } from './manifest-store.ts';

/** A tree that is stored and held. */
export interface StoredTree {
  manifestId: string;
  files: File[];
}

/**
 * Stores the files that take the place of the tree `replacedId`, and holds both trees. Contents that the two share are neither sent nor
 * held: the replaced tree refers to them. Throws `validation_failed` for files that no site may have.
 */
export async function storeFiles(tenant: Tenant, newFiles: readonly NewFile[], replacedId: string | null): Promise<StoredTree> {
  const files = fileTree(newFiles);
  const replaced = replacedId !== null && (await holdManifest(tenant, replacedId)) ? await filesOf(tenant, replacedId) : [];
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
