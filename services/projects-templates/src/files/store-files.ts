import { AppError, type File } from '@webkiln/contract';
import { storeContents } from './chunk-store.ts';
import { fileOf, fileTree, maxReportedPathLength, type NewFile } from './file-tree.ts';
import { filesOf, leaseManifest, storeManifest } from './manifest-store.ts';
import type { FileOwner } from './stored-bytes-store.ts';

/** A tree that is stored and leased. */
export interface StoredTree {
  manifestId: string;
  files: File[];
}

/** A file to store, or with `sha256` one whose content is stored already. */
interface SentFile extends NewFile {
  readonly sha256?: string;
}

const maxReported = 20;

/**
 * Stores the files that replace the tree `replacedId`, and leases the trees. Skips contents that both share: the
 * replaced tree references them. A file with a `sha256` gets the content that the replaced tree or `otherId` has.
 * Throws `validation_failed` for files that a site must not have, `contents_missing`.
 */
export async function storeFiles(
  tenant: FileOwner,
  sent: readonly SentFile[],
  replacedId: string | null,
  otherId: string | null = null,
): Promise<StoredTree> {
  const replaced = await leasedFiles(tenant, replacedId);
  const isNamed = ({ sha256 }: SentFile) => sha256 !== undefined;
  const others = sent.some(isNamed) ? await leasedFiles(tenant, otherId) : [];
  const known = new Map([...others, ...replaced].map((file) => [file.sha256, file]));
  const kept = sent.filter(isNamed).map(({ path, sha256 = '' }) => [path, known.get(sha256)] as const);
  const missing = kept.flatMap(([path, file]) => (file === undefined ? [path] : []));
  if (missing.length > 0) throw contentsMissing(missing);
  return storeTree(
    tenant,
    sent.filter((file) => !isNamed(file)),
    { kept: kept.flatMap(([path, file]) => (file === undefined ? [] : [fileOf(path, file)])), replaced },
  );
}

function contentsMissing(paths: readonly string[]): AppError {
  const message = 'neither the draft nor the live site has this content: send it whole';
  return new AppError(
    'contents_missing',
    paths.slice(0, maxReported).map((path) => ({ path: `files.${path.slice(0, maxReportedPathLength).toWellFormed()}`, message })),
  );
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
