import type { File } from '@webkiln/contract';
import type { Tenant } from '@webkiln/store';
import { encodedName, wholeChunkId } from './chunk-ids.ts';
import { leaseStored, storeChunks } from './chunk-store.ts';
import { type Encoding, encode, encodings, isCompressible } from './encode.ts';
import type { FileOwner } from './stored-bytes-store.ts';

const maxPendingWrites = 16;

/** The id of the chunk that holds an encoded content. */
export const encodedChunkId = (tenant: Tenant, sha256: string, encoding: Encoding): string =>
  wholeChunkId(tenant, encodedName(sha256, encoding), 0);

/**
 * Stores and leases the Brotli and gzip encodings of compressible files, unless they are stored already. Returns the
 * ids of their chunks; contents that do not get smaller have none. Encodes one at a time, so that a publish does not
 * fill the thread pool.
 */
export async function storeEncoded(
  tenant: FileOwner,
  files: readonly File[],
  contentOf: (file: File) => Promise<Uint8Array> | Uint8Array,
): Promise<string[]> {
  const bySha256 = new Map(files.filter(isCompressible).map((file) => [file.sha256, file]));
  const ids = [...bySha256.keys()].flatMap((sha256) => encodings.map((encoding) => encodedChunkId(tenant, sha256, encoding)));
  const stored = await leaseStored(tenant, ids);
  const pending: [id: string, encoded: Uint8Array][] = [];
  const insertAll = async (entries: typeof pending) => {
    await storeChunks(tenant, entries);
    for (const [id] of entries) stored.add(id);
  };
  for (const file of bySha256.values()) {
    const missing = encodings.filter((encoding) => !stored.has(encodedChunkId(tenant, file.sha256, encoding)));
    const content = missing.length > 0 ? await contentOf(file) : new Uint8Array();
    for (const encoding of missing) {
      const encoded = await encode(content, encoding);
      if (encoded !== undefined) pending.push([encodedChunkId(tenant, file.sha256, encoding), encoded]);
    }
    if (pending.length >= maxPendingWrites) await insertAll(pending.splice(0));
  }
  await insertAll(pending);
  return [...stored];
}
