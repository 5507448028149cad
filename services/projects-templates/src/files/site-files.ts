import type { File } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import type { Tenant } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { isPage, trackerVersion } from '../html/tracker.ts';
import { chunkIdsOf, readContent, storeContents } from './chunk-store.ts';
import { type Encoding, encodings } from './encode.ts';
import { encodedChunkId, storeEncoded } from './encoded-store.ts';
import { assertIsSite, fileTree, type NewFile, siteManifestIdOf } from './file-tree.ts';
import { existingManifest, holdManifest, insertManifest } from './manifest-store.ts';
import { trackedPages } from './tracked-pages.ts';

/** For whom files are stored, and until when. */
type Call = Pick<Caller, 'principal' | 'deadlineAt'>;

type ContentOf = (file: File) => Promise<Uint8Array> | Uint8Array;

/** What is kept of a deploy: the files as they are, and what is made of them for visitors. */
export interface SiteTree {
  manifestId: string;
  tree: readonly File[];
}

/** Stores and holds the files that were sent for a site. Throws `validation_failed` for what no site may have. */
export async function storeSite(call: Call, newFiles: readonly NewFile[]): Promise<SiteTree> {
  const tree = fileTree(newFiles);
  assertIsSite(tree);
  const contents = new Map(newFiles.map(({ path, content }) => [path, content]));
  const contentOf = ({ path }: File) => contents.get(path) ?? new Uint8Array();
  await storeContents(
    call.principal,
    tree.map((file) => ({ file, content: contentOf(file) })),
  );
  return siteOf(call, tree, contentOf);
}

/** Stores and holds what a site needs beside a tree that is there: its prepared forms. Throws `validation_failed` like `storeSite`. */
export async function siteOfTree(call: Call, tree: readonly File[]): Promise<SiteTree> {
  assertIsSite(tree);
  return siteOf(call, tree, (file) => readContent(call.principal, file));
}

/** A manifest that is there refers to everything. A new one does what a reference does: in time, or not at all (reclaim-files.ts). */
async function siteOf({ principal, deadlineAt }: Call, tree: readonly File[], contentOf: ContentOf): Promise<SiteTree> {
  const manifestId = siteManifestIdOf(principal.org_id, tree, trackerVersion);
  if (await holdManifest(principal, manifestId)) return { manifestId, tree };
  const pages = await trackedPages(tree, contentOf);
  await storeContents(principal, [...pages.values()]);
  const shown = tree.map((file) => (isPage(file) && pages.get(file.sha256)?.file) || file);
  const tracked = new Map([...pages.values()].map(({ file, content }) => [file.sha256, content]));
  const encoded = await storeEncoded(principal, shown, (file) => tracked.get(file.sha256) ?? contentOf(file));
  assertInTime({ deadlineAt });
  await insertManifest(principal, manifestId, {
    files: [...tree],
    shown: [...pages].map(([of, { file }]) => ({ of, sha256: file.sha256, size: file.size })),
    chunks: [...[...tree, ...shown].flatMap((file) => chunkIdsOf(principal, file)), ...encoded],
  });
  return { manifestId, tree };
}

/** What visitors are sent of the files of a deploy, by path, each with the encodings that are prepared of it. */
export async function siteFiles(tenant: Tenant, manifestId: string): Promise<(File & { encodings: Encoding[] })[]> {
  const { files, shown = [], chunks } = await existingManifest(tenant, manifestId);
  const stored = new Set(chunks);
  const inPlaceOf = new Map(shown.map(({ of, sha256, size }) => [of, { sha256, size }]));
  return files.map((file) => {
    const sent = { ...file, ...(isPage(file) && inPlaceOf.get(file.sha256)) };
    return { ...sent, encodings: encodings.filter((encoding) => stored.has(encodedChunkId(tenant, sent.sha256, encoding))) };
  });
}
