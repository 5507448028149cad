import type { File } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import type { Tenant } from '@webkiln/store';
import { assertInTime } from '../deadline.ts';
import { chunkIdsOf, readContent, storeContents } from './chunk-store.ts';
import { type Encoding, encodings } from './encode.ts';
import { encodedChunkId, storeEncoded } from './encoded-store.ts';
import { assertIsSite, fileTree, type NewFile, siteManifestIdOf } from './file-tree.ts';
import { existingManifest, holdManifest, insertManifest } from './manifest-store.ts';

/** For whom files are stored, and until when. */
type Call = Pick<Caller, 'principal' | 'deadlineAt'>;

/** What is kept of a deploy: the files as they are, and what is prepared of them. */
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
async function siteOf(
  { principal, deadlineAt }: Call,
  tree: readonly File[],
  contentOf: (file: File) => Promise<Uint8Array> | Uint8Array,
): Promise<SiteTree> {
  const manifestId = siteManifestIdOf(principal.org_id, tree);
  if (await holdManifest(principal, manifestId)) return { manifestId, tree };
  const encoded = await storeEncoded(principal, tree, contentOf);
  assertInTime({ deadlineAt });
  await insertManifest(principal, manifestId, tree, [...tree.flatMap((file) => chunkIdsOf(principal, file)), ...encoded]);
  return { manifestId, tree };
}

/** The files of a deploy by path, each with the encodings that are prepared of it. */
export async function siteFiles(tenant: Tenant, manifestId: string): Promise<(File & { encodings: Encoding[] })[]> {
  const { files, chunks } = await existingManifest(tenant, manifestId);
  const stored = new Set(chunks);
  return files.map((file) => ({
    ...file,
    encodings: encodings.filter((encoding) => stored.has(encodedChunkId(tenant, file.sha256, encoding))),
  }));
}
