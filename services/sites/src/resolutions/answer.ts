import { pathOf, type Redirects } from '@webkiln/site-rules';
import type { OwnHeaders } from './representation.ts';
import type { PublishedFile, Site } from './site.ts';

/** What a request gets: a file, or where it is sent. */
type Answer = { readonly status: number } & ({ readonly file: PublishedFile } | { readonly location: string });

interface Target {
  /** Decoded. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
}

/**
 * What a site answers, and the headers that its own rules add. Files come before rules, unless a rule is forced; what
 * neither answers is the nearest `404.html`. Undefined if there is none.
 */
export function answerOf(site: Site, host: string, { path, query }: Target): { answer: Answer | undefined; own?: OwnHeaders | undefined } {
  const { rules } = site;
  if (rules === undefined) return { answer: pageOf(site, path, query) ?? notFoundOf(site, path) };
  const request = { path: pathOf(path), query, host: host.replace(/:\d+$/, '').toLowerCase() };
  const byRule = (redirects: Redirects): Answer | undefined => {
    const ruled = redirects.answer(request);
    if (ruled === undefined || 'location' in ruled) return ruled;
    const file = fileOf(site, ruled.path);
    return file && { status: ruled.status, file };
  };
  const answer = byRule(rules.forced) ?? pageOf(site, path, query) ?? byRule(rules.fallback) ?? notFoundOf(site, path);
  return { answer, own: rules.headers.headersOf(request.path) };
}

function pageOf(site: Site, path: string, query: string): Answer | undefined {
  const page = findPage(site, path) ?? findComposed(site, path);
  if (page === undefined) return undefined;
  return 'file' in page ? { status: 200, file: page.file } : { status: 301, location: `${page.location}${query}` };
}

/** The page at a path in the other Unicode form. */
function findComposed(site: Site, path: string): Page | undefined {
  const composed = path.normalize('NFC');
  return composed === path ? undefined : findPage(site, composed);
}

/** The file of the page at a path, whether it ends with a slash or not. */
export function fileOf(site: Site, path: string): PublishedFile | undefined {
  const page = findPage(site, path);
  if (page === undefined || 'file' in page) return page?.file;
  const other = findPage(site, path.endsWith('/') ? path.slice(0, -1) : `${path}/`);
  return other !== undefined && 'file' in other ? other.file : undefined;
}

/** No file has a longer path; visitors' paths may be. */
const maxPathLength = 1_024;

/** The `404.html` in the folder of a path, or the nearest one above it. */
function notFoundOf({ files }: Site, path: string): Answer | undefined {
  for (let at = path.lastIndexOf('/', maxPathLength); at >= 0; at = at === 0 ? -1 : path.lastIndexOf('/', at - 1)) {
    const file = files.get(`${path.slice(1, at + 1)}404.html`);
    if (file !== undefined) return { status: 404, file };
  }
  return undefined;
}

/** A file, or the path to redirect to. */
type Page = { readonly file: PublishedFile } | { readonly location: string };

/**
 * Resolves a decoded URL path ("/about"); undefined if there is nothing. ".html" may be omitted, and a folder serves
 * its index.html. A page requested with a trailing slash, or a folder without one, redirects, because relative links
 * depend on the last "/".
 */
function findPage({ files }: Pick<Site, 'files'>, path: string): Page | undefined {
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
