import type { Finding } from '../finding.ts';
import type { PageElement, ParsedPage } from '../parsed-page.ts';
import { fileAt, type SiteFiles } from '../site-files.ts';

/** Stands for the site's own origin, whatever its address. */
const here = 'http://site.invalid';

/** The URL that a reference on the page leads to, or undefined if it is no URL. */
const resolve = (path: string, reference: string): URL | undefined => {
  const page = path.replace(/(^|\/)index\.html$/, '$1');
  return URL.canParse(reference.trim(), `${here}/${page}`) ? new URL(reference.trim(), `${here}/${page}`) : undefined;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The file of this site that a URL names; undefined if it names none; `foreign` if the URL is not on this site. */
function targetOf(files: SiteFiles, url: URL): string | undefined | { readonly foreign: true } {
  return url.origin === here ? fileAt(files, decoded(url.pathname)) : { foreign: true };
}

const idsOf = (page: ParsedPage | undefined): ReadonlySet<string> =>
  new Set(page?.elements.flatMap(({ attributes }) => attributes.get('id') ?? []));

/** The site's own links and anchors lead somewhere, and none runs a script. */
export function checkLinks(page: ParsedPage, pages: ReadonlyMap<string, ParsedPage>, files: SiteFiles): Finding[] {
  const { path } = page;
  return page.elements.flatMap(({ tag, attributes, line }): Finding[] => {
    const reference = tag === 'a' || tag === 'area' ? attributes.get('href') : undefined;
    if (reference === undefined) return [];
    const url = resolve(path, reference);
    if (url === undefined) return [{ path, rule: 'link-exists', line, message: `The link "${reference}" is not a valid URL.` }];
    if (/^(?:javascript|vbscript|data):$/.test(url.protocol)) {
      return [{ path, rule: 'safe-link', line, message: `The link "${reference.slice(0, 80)}" runs a script; link to a page.` }];
    }
    const target = targetOf(files, url);
    if (typeof target === 'object') return [];
    if (target === undefined)
      return [{ path, rule: 'link-exists', line, message: `The link "${reference}" leads to no file of the site.` }];
    const anchor = decoded(url.hash.slice(1));
    if (anchor === '' || anchor === 'top' || !pages.has(target) || idsOf(pages.get(target)).has(anchor)) return [];
    return [{ path, rule: 'anchor-exists', line, message: `The link "${reference}" leads to an id that ${target} does not have.` }];
  });
}

const assetOf = ({ tag, attributes }: PageElement): string[] => {
  const one = tag === 'link' ? attributes.get('href') : attributes.get('src');
  const set = (attributes.get('srcset') ?? '').split(',').map((part) => part.trim().split(/\s+/)[0] ?? '');
  const isPage = tag === 'link' && /\b(?:canonical|alternate|preconnect|dns-prefetch)\b/.test(attributes.get('rel') ?? '');
  return [...(one === undefined || isPage ? [] : [one]), ...set, attributes.get('poster') ?? ''].filter((text) => text !== '');
};

/** Images, styles, scripts and media of this site exist. */
export function checkAssets(page: ParsedPage, files: SiteFiles): Finding[] {
  return page.elements.flatMap((element) => assetOf(element).flatMap((reference) => missing(page.path, reference, element.line, files)));
}

/** Everything that a style sheet loads by `url(…)` or `@import` exists. */
export function checkStyleAssets(path: string, css: string, files: SiteFiles): Finding[] {
  const references = [...css.matchAll(/url\(\s*(["']?)([^"')]+)\1\s*\)|@import\s+["']([^"']+)["']/g)];
  return references.flatMap((match) => missing(path, match[2] ?? match[3] ?? '', 1, files));
}

function missing(path: string, reference: string, line: number, files: SiteFiles): Finding[] {
  if (/^\s*data:/i.test(reference) || reference.startsWith('#')) return [];
  const url = resolve(path, reference);
  if (url !== undefined && targetOf(files, url) !== undefined) return [];
  return [{ path, rule: 'asset-exists', line, message: `"${reference.slice(0, 200)}" is not a file of the site.` }];
}

/** The foreign origin of a reference, or undefined if it is on this site. */
export function foreignOrigin(path: string, reference: string): string | undefined {
  const url = resolve(path, reference);
  return url === undefined || url.origin === here || url.protocol === 'data:' ? undefined : url.origin;
}
