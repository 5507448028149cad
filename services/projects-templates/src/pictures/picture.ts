import type { File, ListedPicture, Picture } from '@webkiln/contract';
import type { NewFile } from '../files/file-tree.ts';
import type { EncodedPicture } from './picture-worker.ts';

const folder = 'pictures';
const maxNameLength = 60;
const maxUsersNamed = 20;
const endings = { webp: 'webp', jpeg: 'jpg', png: 'png' } as const;

/** What the files of a picture are called: `Our Terrace (1).JPG` gives `our-terrace-1`. */
export function pictureName(given: string): string {
  const plain = given
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? ['picture'];
  return words.join('-').slice(0, maxNameLength).replace(/-$/, '');
}

/** The files of a new picture. Another file of the draft with one of their paths gives it a number. */
export function pictureFiles(
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
export const toPicture = (picture: ListedPicture, texts: ReadonlyMap<string, string>): Picture => ({
  ...picture,
  used_by: usersOf(picture, texts).slice(0, maxUsersNamed),
});

/** The files that name one of a picture's files, the home page first. */
export const usersOf = ({ files }: Pick<ListedPicture, 'files'>, texts: ReadonlyMap<string, string>): string[] =>
  [...texts]
    .filter(([, text]) => files.some(({ path }) => text.includes(path)))
    .map(([path]) => path)
    .sort((one, two) => Number(two === 'index.html') - Number(one === 'index.html'));

/** "index.html, menu.html and 3 more show this picture: replace it there first" */
export function inUse(users: readonly string[]): string {
  const named = users.slice(0, 3).join(', ');
  const more = users.length > 3 ? ` and ${users.length - 3} more` : '';
  return `${named}${more} ${users.length === 1 ? 'shows' : 'show'} this picture: replace it there first`;
}
