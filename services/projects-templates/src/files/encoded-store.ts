import { AppError, type File } from '@webkiln/contract';
import { scoped, type Tenant, where } from '@webkiln/store';
import { bytesOf, ChunkModel, holdChunks, insertChunk } from './chunk-store.ts';
import { type Encoding, encode, encodings, isCompressible } from './encode.ts';

const writesAtOnce = 16;

/** The id of a content's prepared form, a chunk beside its own ones. */
export const encodedChunkId = ({ org_id }: Tenant, sha256: string, encoding: Encoding): string => `${org_id}/${sha256}.${encoding}/0`;

/**
 * Makes sure that the prepared forms of what can be compressed are there and held; what is there already is not made again. Returns
 * their chunks' ids: a content that does not get smaller has none. They are made one after the other, so that a publish never fills the
 * thread pool.
 */
export async function storeEncoded(
  tenant: Tenant,
  files: readonly File[],
  contentOf: (file: File) => Promise<Uint8Array> | Uint8Array,
): Promise<string[]> {
  const bySha256 = new Map(files.filter(isCompressible).map((file) => [file.sha256, file]));
  const ids = [...bySha256.keys()].flatMap((sha256) => encodings.map((encoding) => encodedChunkId(tenant, sha256, encoding)));
  await holdChunks(tenant, ids);
  const found = await scoped(ChunkModel, tenant).find({ _id: where({ $in: ids }) }, { fields: [] });
  const stored = new Set(found.map(({ _id }) => _id));
  const made: [id: string, encoded: Uint8Array][] = [];
  const insertAll = async (forms: typeof made) => {
    await Promise.all(forms.map(([id, encoded]) => insertChunk(tenant, id, encoded)));
    for (const [id] of forms) stored.add(id);
  };
  for (const file of bySha256.values()) {
    const missing = encodings.filter((encoding) => !stored.has(encodedChunkId(tenant, file.sha256, encoding)));
    const content = missing.length > 0 ? await contentOf(file) : new Uint8Array();
    for (const encoding of missing) {
      const encoded = await encode(content, encoding);
      if (encoded !== undefined) made.push([encodedChunkId(tenant, file.sha256, encoding), encoded]);
    }
    if (made.length >= writesAtOnce) await insertAll(made.splice(0));
  }
  await insertAll(made);
  return [...stored];
}

/** A content in a prepared form; throws `file_not_found` where there is none. */
export async function readEncoded(tenant: Tenant, sha256: string, encoding: Encoding): Promise<Uint8Array> {
  const chunk = await scoped(ChunkModel, tenant).findOne({ _id: encodedChunkId(tenant, sha256, encoding) }, { fields: ['content'] });
  if (chunk === null) throw new AppError('file_not_found');
  return bytesOf(chunk);
}
