import type { PublishedFile, Site } from './site.ts';

/** What a path leads to: a file, or the path that the visitor should ask for instead. */
type Page = { readonly file: PublishedFile } | { readonly location: string };

/**
 * What a decoded path of a URL ("/about") leads to; undefined when there is nothing. A page needs no ".html", a folder shows its index.html,
 * and a page or folder that is asked for by the other's form is shown the right one, because relative links depend on the last "/".
 */
export function findPage({ files }: Site, path: string): Page | undefined {
  const wanted = path.slice(1);
  if (wanted === '' || wanted.endsWith('/')) {
    const index = files.get(`${wanted}index.html`);
    if (index !== undefined) return { file: index };
    const page = wanted.slice(0, -1);
    return files.has(`${page}.html`) ? { location: locationOf(page) } : undefined;
  }
  const file = files.get(wanted) ?? files.get(`${wanted}.html`);
  if (file !== undefined) return { file };
  return files.has(`${wanted}/index.html`) ? { location: locationOf(`${wanted}/`) } : undefined;
}

/** Made of a path that a file has, so it begins with one "/" only and leaves the site by no means. */
const locationOf = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;
