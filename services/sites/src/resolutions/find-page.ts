import type { PublishedFile, Site } from './site.ts';

/** A file, or the path to redirect to. */
type Page = { readonly file: PublishedFile } | { readonly location: string };

/**
 * Resolves a decoded URL path ("/about"); undefined if there is nothing. ".html" may be omitted, and a folder serves
 * its index.html. A page requested with a trailing slash, or a folder without one, redirects, because relative links
 * depend on the last "/".
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

/** Built from the path of an existing file, so it starts with exactly one "/" and cannot leave the site. */
const locationOf = (path: string) => `/${path.split('/').map(encodeURIComponent).join('/')}`;
