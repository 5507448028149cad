import { hash } from 'node:crypto';
import {
  AppError,
  type File,
  type ListedPicture,
  listedPictures,
  maxPictures,
  type Picture,
  pictureList,
  pictureListPath,
} from '@webkiln/contract';
import type { IncomingCaller } from '@webkiln/messages';
import { handle, type UseCase } from '@webkiln/rpc';
import { newId, type Tenant } from '@webkiln/store';
import { hasText } from '../drafts/read-drafts.ts';
import { isServed, type NewFile } from '../files/file-tree.ts';
import { filesOf } from '../files/manifest-store.ts';
import { readSmallContents } from '../files/read-contents.ts';
import { storeDifference } from '../files/store-files.ts';
import { writeRevision } from '../project-files/write-draft.ts';
import { existingProject, type ProjectRecord } from '../projects/project-store.ts';
import { encodePicture } from './encode-picture.ts';
import type { EncodedPicture } from './picture-worker.ts';

const folder = 'pictures';
const maxNameLength = 60;
const maxUsersNamed = 20;
const endings = { webp: 'webp', jpeg: 'jpg', png: 'png' } as const;

/** What the files of a picture are called: `Our Terrace (1).JPG` gives `our-terrace-1`. */
function pictureName(given: string): string {
  const plain = given
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? ['picture'];
  return words.join('-').slice(0, maxNameLength).replace(/-$/, '');
}

/** The files of a new picture. Another file of the draft with one of their paths gives it a number. */
function pictureFiles(
  given: string,
  encoded: readonly EncodedPicture[],
  taken: readonly Pick<File, 'path'>[],
): { name: string; files: (ListedPicture['files'][number] & Pick<NewFile, 'content'>)[] } {
  const paths = new Set(taken.map(({ path }) => path));
  const base = pictureName(given);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    const files = encoded.map(({ content, format, width, height }) => {
      const path = `${folder}/${name}${format === 'webp' ? `-${width}` : ''}.${endings[format]}`;
      return { path, width, height, format, content };
    });
    if (!files.some(({ path }) => paths.has(path))) return { name, files };
  }
}

/** The public record of a listed picture; `texts` are the files of the draft that may show it. */
const toPicture = (picture: ListedPicture, texts: ReadonlyMap<string, string>): Picture => ({
  ...picture,
  used_by: usersOf(picture, texts).slice(0, maxUsersNamed),
});

/** The files that name one of a picture's files, the home page first. */
const usersOf = ({ files }: Pick<ListedPicture, 'files'>, texts: ReadonlyMap<string, string>): string[] =>
  [...texts]
    .filter(([, text]) => files.some(({ path }) => text.includes(path)))
    .map(([path]) => path)
    .sort((one, two) => Number(two === 'index.html') - Number(one === 'index.html'));

/** "index.html, menu.html and 3 more show this picture: replace it there first" */
function inUse(users: readonly string[]): string {
  const named = users.slice(0, 3).join(', ');
  const more = users.length > 3 ? ` and ${users.length - 3} more` : '';
  return `${named}${more} ${users.length === 1 ? 'shows' : 'show'} this picture: replace it there first`;
}

/** The files of a draft, the pictures that it lists, and its texts that visitors get, by path. */
interface Library {
  readonly files: readonly File[];
  readonly pictures: readonly ListedPicture[];
  readonly texts: ReadonlyMap<string, string>;
}

async function libraryOf(tenant: Tenant, { draft_manifest_id }: Pick<ProjectRecord, 'draft_manifest_id'>): Promise<Library> {
  const files = await filesOf(tenant, draft_manifest_id);
  const list = files.find(({ path }) => path === pictureListPath);
  const read = [...files.filter((file) => isServed(file) && hasText(file)), ...(list !== undefined && hasText(list) ? [list] : [])];
  const contents = await readSmallContents(tenant, read);
  const textOf = ({ sha256 }: File) => new TextDecoder().decode(contents.get(sha256));
  const paths = new Set(files.map(({ path }) => path));
  return {
    files,
    // Of a picture whose files somebody has deleted nothing can be shown.
    pictures: listedPictures(list && textOf(list)).filter((picture) => picture.files.every(({ path }) => paths.has(path))),
    texts: new Map(read.filter(isServed).map((file) => [file.path, textOf(file)])),
  };
}

function existing({ pictures }: Library, id: string): ListedPicture {
  const found = pictures.find((picture) => picture.id === id);
  if (found === undefined) throw new AppError('picture_not_found');
  return found;
}

interface LibraryChange {
  readonly pictures: readonly ListedPicture[];
  readonly written?: readonly { path: string; content: Uint8Array }[];
  readonly deleted?: readonly string[];
  readonly title: string;
}

/** Changes the library and its files as one revision of the draft; none if there is nothing to change. */
async function changeLibrary(
  caller: IncomingCaller,
  project_id: string,
  change: (library: Library) => LibraryChange | undefined,
): Promise<void> {
  await writeRevision(caller, project_id, {
    etag: () => undefined,
    async store(owner, project) {
      const library = await libraryOf(caller.principal, project);
      const changed = change(library);
      const before = project.draft_manifest_id;
      if (changed === undefined) return { manifestId: before ?? '', files: [...library.files], title: '' };
      const { pictures, written = [], deleted = [], title } = changed;
      const list = { path: pictureListPath, content: Buffer.from(pictureList(pictures)) };
      return { ...(await storeDifference(owner, { written: [...written, list], deleted }, before)), title };
    },
  });
}

const listPictures = handle('projects.ListPictures', async ({ project_id }, caller) => {
  const { pictures, texts } = await libraryOf(caller.principal, await existingProject(caller, project_id));
  return { pictures: pictures.map((picture) => toPicture(picture, texts)).reverse() };
});

/** A retry, and an upload of a picture that is there already, find it. */
const uploadPicture = handle('projects.UploadPicture', async ({ project_id, name, file, alt }, caller) => {
  await existingProject(caller, project_id);
  const encoded = await encodePicture(caller.principal.org_id, file);
  const largest = hash('sha256', encoded.findLast(({ format }) => format === 'webp')?.content ?? '');
  const id = newId(caller);
  const reply: { picture?: Picture } = {};
  await changeLibrary(caller, project_id, ({ files, pictures, texts }) => {
    const same = new Set(files.filter(({ sha256 }) => sha256 === largest).map(({ path }) => path));
    const known = pictures.find((picture) => picture.id === id || picture.files.some(({ path }) => same.has(path)));
    const made = pictureFiles(name, encoded, files);
    const listed = made.files.map(({ content: _, ...size }) => size);
    const picture = known ?? { id, name: made.name, alt: alt ?? '', files: listed, created_at: new Date().toISOString() };
    reply.picture = toPicture(picture, texts);
    if (known !== undefined) return undefined;
    if (pictures.length >= maxPictures) throw new AppError('picture_refused', [{ path: '', message: isFull }]);
    return { pictures: [...pictures, picture], written: made.files, title: `Added the picture ${made.name}` };
  });
  return reply;
});

const isFull = `This project has ${maxPictures} pictures, which is the most: delete some that no page shows`;

const updatePicture = handle('projects.UpdatePicture', async ({ project_id, picture_id, alt }, caller) => {
  await existingProject(caller, project_id, 'picture_not_found');
  const reply: { picture?: Picture } = {};
  await changeLibrary(caller, project_id, (library) => {
    const changed = { ...existing(library, picture_id), alt };
    reply.picture = toPicture(changed, library.texts);
    const pictures = library.pictures.map((picture) => (picture.id === picture_id ? changed : picture));
    return { pictures, title: `Described the picture ${changed.name}` };
  });
  return reply;
});

const deletePicture = handle('projects.DeletePicture', async ({ project_id, picture_id }, caller) => {
  await existingProject(caller, project_id, 'picture_not_found');
  await changeLibrary(caller, project_id, (library) => {
    const { name, files } = existing(library, picture_id);
    const users = usersOf({ files }, library.texts);
    if (users.length > 0) throw new AppError('picture_in_use', [{ path: '', message: inUse(users) }]);
    const pictures = library.pictures.filter(({ id }) => id !== picture_id);
    return { pictures, deleted: files.map(({ path }) => path), title: `Deleted the picture ${name}` };
  });
  return { deleted: true, id: picture_id };
});

export const pictureUseCases: UseCase[] = [listPictures, uploadPicture, updatePicture, deletePicture];
