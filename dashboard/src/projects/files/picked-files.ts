import type { DirectoryDropItem, DropItem } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { formatBytes } from '../../components/content/format-bytes.ts';
import { texts } from '../../texts.ts';

const t = texts.files;

/** A file of a folder, with its path in the site. */
export interface SiteFile {
  readonly path: string;
  readonly file: File;
}

/** What a person chose: the files of a folder, or a zip of them. */
export type Picked = { readonly zip: File } | { readonly files: readonly SiteFile[] };

/** The bounds of a site, as the API has them. */
const maxFiles = 2000;
const maxBytes = 25 * 1024 * 1024;
const leftOut = new Set(['__MACOSX', '.DS_Store', '.git']);

const isZip = ({ name }: File) => name.toLowerCase().endsWith('.zip');

/** What was dropped. Throws a `Problem` that says what to correct. */
export async function droppedFiles(items: readonly DropItem[]): Promise<Picked> {
  const found: SiteFile[] = [];
  for (const item of items) await addItem(found, item, '');
  return pickedFiles(found);
}

async function addItem(found: SiteFile[], item: DropItem, folder: string): Promise<void> {
  if (item.kind === 'text' || leftOut.has(item.name)) return;
  if (item.kind === 'file') return void found.push({ path: folder + item.name, file: await item.getFile() });
  if (found.length > maxFiles) return;
  for await (const entry of (item as DirectoryDropItem).getEntries()) await addItem(found, entry, `${folder}${item.name}/`);
}

/** The files of a folder that was chosen. Throws a `Problem` that says what to correct. */
export const chosenFiles = (files: readonly File[]): Picked =>
  pickedFiles(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));

/** One zip is taken as it is; of files, the folders that all of them share are left out. */
function pickedFiles(all: readonly SiteFile[]): Picked {
  const [first] = all;
  if (all.length === 1 && first !== undefined && isZip(first.file)) return { zip: first.file };
  const files = all.filter(({ path }) => !path.split('/').some((segment) => leftOut.has(segment)));
  if (files.length === 0) throw refused(t.nothing);
  if (files.length > maxFiles) throw refused(t.tooMany({ max: maxFiles }));
  const size = files.reduce((bytes, { file }) => bytes + file.size, 0);
  if (size > maxBytes) throw refused(t.tooLarge({ size: formatBytes(size), max: formatBytes(maxBytes) }));
  const root = sharedFolders(files.map(({ path }) => path));
  const site = files.map(({ path, file }) => ({ path: path.slice(root.length), file }));
  if (!site.some(({ path }) => path === 'index.html')) throw refused(t.noIndex);
  return { files: site };
}

const refused = (error: string) => new Problem(0, { error });

function sharedFolders(paths: readonly string[]): string {
  const [first = ''] = paths;
  let root = '';
  for (let end = first.indexOf('/'); end !== -1; end = first.indexOf('/', end + 1)) {
    const folders = first.slice(0, end + 1);
    if (!paths.every((path) => path.startsWith(folders))) break;
    root = folders;
  }
  return root;
}
