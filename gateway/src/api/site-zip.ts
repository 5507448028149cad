import { crc32, inflateRawSync } from 'node:zlib';
import { AppError, maxSiteBytes, maxSiteFiles, pathProblem } from '@webkiln/contract';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

/** Folders and what is left out count, too: a zip with more is refused before one of them is read. */
const maxEntries = 10_000;
const maxReportedNameLength = 200;
/** What systems and tools leave in folders, and nobody means to publish. */
const leftOut = new Set(['__MACOSX', '.DS_Store', '.git']);
const [fileTypeMask, regularFile, folder] = [0o170000, 0o100000, 0o040000];
const [stored, deflated] = [0, 8];

/**
 * The files of a zip (APPNOTE.TXT 6.3.10) by their paths in the site, without the folders that all of them share. Takes
 * no more memory than a site may have: bytes are counted while they are inflated, whatever the zip says of them. Throws
 * `validation_failed`.
 */
export async function readSiteZip(fd: number): Promise<Record<string, Buffer>> {
  const zip = await open(fd);
  if (zip.entryCount > maxEntries) {
    throw refused('', `The zip has ${zip.entryCount} entries, and ${maxEntries} are the most: leave out folders like node_modules`);
  }
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for await (const entry of entriesOf(zip)) {
    const name = nameOf(entry);
    if (name.endsWith('/') || name.split('/').some((segment) => leftOut.has(segment))) continue;
    assertReadable(entry, name);
    const problem = contents.has(name) ? 'is in the zip twice' : pathProblem(name);
    if (problem !== undefined) throw refused(name, problem);
    if (contents.size === maxSiteFiles) throw refused('files', `must be at most ${maxSiteFiles} files`);
    const content = await inflated(zip, entry, { name, maxBytes: maxSiteBytes - bytes });
    bytes += content.byteLength;
    contents.set(name, content);
  }
  const root = sharedFolders([...contents.keys()]);
  // Object.fromEntries makes __proto__ a file like any other.
  return Object.fromEntries([...contents].map(([name, content]) => [name.slice(root.length), content]));
}

const refused = (path: string, message: string, cause?: unknown) =>
  new AppError('validation_failed', [{ path: path.slice(0, maxReportedNameLength).toWellFormed(), message }], { cause });

const damaged = (cause: unknown) => refused('', 'The body is not a zip, or a damaged one: make the zip again', cause);

async function open(fd: number): Promise<ZipFile> {
  // Without decodeStrings yauzl neither changes names nor throws at them: the contract says what is wrong with a path.
  const options = { autoClose: false, decodeStrings: false } as const;
  return yauzl.fromFdPromise(fd, options).catch((error: unknown) => {
    throw damaged(error);
  });
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error);
  }
}

const nameOf = ({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string =>
  yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);

function assertReadable(entry: Entry, name: string): void {
  const type = (entry.externalFileAttributes >>> 16) & fileTypeMask;
  if (entry.isEncrypted()) throw refused(name, 'is encrypted: make the zip without a password');
  if (type !== 0 && type !== regularFile && type !== folder) {
    throw refused(name, 'is a link or no file: put the file that it points to in its place');
  }
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    throw refused(name, 'is compressed by another method than Deflate: make the zip with the usual settings');
  }
}

/** Inflated by this thread itself, whose priority is low, and not by those that all of the process shares. */
async function inflated(
  zip: ZipFile,
  entry: Entry,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): Promise<Buffer> {
  const content = await contentOf(zip, entry, maxBytes).catch((error: unknown) => {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge() : refused(name, 'is damaged: make the zip again', error);
  });
  if (content.byteLength > maxBytes) throw tooLarge();
  if (content.byteLength !== entry.uncompressedSize || crc32(content) !== entry.crc32) {
    throw refused(name, 'is damaged: make the zip again');
  }
  return content;
}

const tooLarge = () => refused('files', 'must have at most 25 MB together, unpacked');

async function contentOf(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  const raw: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  const chunks: Buffer[] = [];
  for await (const chunk of raw) chunks.push(chunk);
  const content = Buffer.concat(chunks);
  return entry.compressionMethod === deflated ? inflateRawSync(content, { maxOutputLength: Math.max(1, maxBytes) }) : content;
}

/** The folders, with a slash at the end, that all names begin with. */
function sharedFolders(names: readonly string[]): string {
  const [first = ''] = names;
  let root = '';
  for (let end = first.indexOf('/'); end !== -1; end = first.indexOf('/', end + 1)) {
    const folders = first.slice(0, end + 1);
    if (!names.every((name) => name.startsWith(folders))) break;
    root = folders;
  }
  return root;
}
