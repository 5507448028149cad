import type { File } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import type { Tenant } from '@webkiln/store';
import { assertBeforeDeadline } from '../deadline.ts';
import { isPage, trackerVersion } from '../html/tracker.ts';
import { encodedName, referencedIdsOf, wholeChunkId } from './chunk-ids.ts';
import { leaseStored, storeChunks, storeContents } from './chunk-store.ts';
import { type Encoding, encode, encodings, isCompressible } from './encode.ts';
import { assertIsSite, fileTree, type NewFile, siteManifestIdOf } from './file-tree.ts';
import { existingManifest, insertManifest, leaseManifest, storeManifest } from './manifest-store.ts';
import { readContent } from './read-contents.ts';
import type { FileOwner } from './stored-bytes-store.ts';
import { buildTrackedPages, type TrackedPage } from './tracked-pages.ts';

const maxPendingWrites = 16;

/** The id of the chunk that holds an encoded content. */
const encodedChunkId = (tenant: Tenant, sha256: string, encoding: Encoding): string =>
  wholeChunkId(tenant, encodedName(sha256, encoding), 0);

/**
 * Stores and leases the Brotli and gzip encodings of compressible files, unless they are stored already. Returns the
 * ids of their chunks; contents that do not get smaller have none. Encodes one at a time, so that a publish does not
 * fill the thread pool.
 */
async function storeEncoded(
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

/** The caller who stores files; whether the client joined by a link, and whether pages get the tracker. */
type Call = Pick<Caller, 'principal' | 'deadlineAt'> & Pick<FileOwner, 'isJoined'> & { readonly insertsTracker: boolean };
const ownerOf = ({ principal: { org_id }, deadlineAt, isJoined = false }: Call): FileOwner => ({ org_id, deadlineAt, isJoined });

type ContentOf = (file: File) => Promise<Uint8Array> | Uint8Array;

/** The stored files of a site. */
export interface StoredSite {
  readonly tree: readonly File[];
  /** The manifest of a draft of the same files. */
  readonly draftManifestId: string | null;
  /**
   * Stores and leases the manifest of a deploy at `siteOrigin`: it has the original files, and references also what
   * visitors get instead. Returns its id.
   */
  manifestAt(siteOrigin: string): Promise<string>;
}

/**
 * Stores and leases the files of a site, and with `asDraft` the manifest of a draft of the same files. Throws
 * `validation_failed` for files that a site must not have.
 */
export async function storeSite(call: Call, newFiles: readonly NewFile[], { asDraft }: { asDraft: boolean }): Promise<StoredSite> {
  const tree = await fileTree(newFiles);
  assertIsSite(tree);
  const contents = new Map(newFiles.map(({ path, content }) => [path, content]));
  const contentOf = ({ path }: File) => contents.get(path) ?? new Uint8Array();
  await storeContents(
    ownerOf(call),
    tree.map((file) => ({ file, content: contentOf(file) })),
  );
  const draftManifestId = asDraft ? await storeManifest(ownerOf(call), tree) : null;
  return { tree, draftManifestId, manifestAt: (origin) => storeSiteManifest(call, tree, origin, contentOf) };
}

/** The same for a tree that is stored already. */
export function siteOfTree(call: Call, tree: readonly File[]): StoredSite {
  assertIsSite(tree);
  const contentOf = (file: File) => readContent(call.principal, file);
  return { tree, draftManifestId: null, manifestAt: (origin) => storeSiteManifest(call, tree, origin, contentOf) };
}

/**
 * An existing manifest references everything. A new one adds references, so it needs the deadline check
 * (garbage-collection.ts).
 */
async function storeSiteManifest(call: Call, tree: readonly File[], siteOrigin: string, contentOf: ContentOf): Promise<string> {
  const { principal, insertsTracker } = call;
  const version = `${trackerVersion} ${insertsTracker ? siteOrigin : 'without tracker'}`;
  const manifestId = siteManifestIdOf(principal.org_id, tree, version);
  if (await leaseManifest(principal, manifestId)) return manifestId;
  const pages = insertsTracker ? await buildTrackedPages(tree, siteOrigin, contentOf) : new Map<string, TrackedPage>();
  await storeContents(ownerOf(call), [...pages.values()]);
  const shown = tree.map((file) => (isPage(file) && pages.get(file.sha256)?.file) || file);
  const tracked = new Map([...pages.values()].map(({ file, content }) => [file.sha256, content]));
  const encoded = await storeEncoded(ownerOf(call), shown, (file) => tracked.get(file.sha256) ?? contentOf(file));
  assertBeforeDeadline(call);
  await insertManifest(ownerOf(call), manifestId, {
    files: [...tree],
    shown: [...pages].map(([of, { file }]) => ({ of, sha256: file.sha256, size: file.size })),
    chunks: [...[...tree, ...shown].flatMap((file) => referencedIdsOf(principal, file)), ...encoded],
  });
  return manifestId;
}

/** The files of a deploy as visitors get them, sorted by path, each with its stored encodings. */
export async function readSiteFiles(tenant: Tenant, manifestId: string): Promise<(File & { encodings: Encoding[] })[]> {
  const { files, shown = [], chunks } = await existingManifest(tenant, manifestId);
  const stored = new Set(chunks);
  const replacements = new Map(shown.map(({ of, sha256, size }) => [of, { sha256, size }]));
  return files.map((file) => {
    const sent = { ...file, ...(isPage(file) && replacements.get(file.sha256)) };
    return { ...sent, encodings: encodings.filter((encoding) => stored.has(encodedChunkId(tenant, sent.sha256, encoding))) };
  });
}
