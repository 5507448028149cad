import type { Finding } from '../finding.ts';
import type { PageElement, ParsedPage } from '../parsed-page.ts';
import { fileAt, type SiteFiles } from '../site-files.ts';

/** Stands for the site's own origin, whatever its address. */
const here = 'http://site.invalid';
const maxShownCharacters = 200;
const shown = (text: string): string => text.slice(0, maxShownCharacters);

/** The URL that a reference on the page leads to, or undefined if it is no URL. */
const resolve = (path: string, reference: string): URL | undefined =>
  URL.parse(reference.trim(), `${here}/${path.replace(/(^|\/)index\.html$/, '$1')}`) ?? undefined;

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

/** The ids of a page of the site; undefined for a file that is no page. */
export type IdsOf = (path: string) => ReadonlySet<string> | undefined;

/** The site's own links and anchors lead somewhere, and none runs a script. */
export function* checkLinks({ path, elements }: ParsedPage, files: SiteFiles, idsOf: IdsOf): Generator<Finding> {
  for (const { tag, attributes, line } of elements) {
    const reference = tag === 'a' || tag === 'area' ? attributes.get('href') : undefined;
    if (reference === undefined) continue;
    const finding = (rule: Finding['rule'], problem: string): Finding => {
      return { path, rule, line, message: `The link "${shown(reference)}" ${problem}` };
    };
    const url = resolve(path, reference);
    if (url === undefined) yield finding('link-exists', 'is not a valid URL.');
    else if (/^(?:javascript|vbscript|data):$/.test(url.protocol)) yield finding('safe-link', 'runs a script; link to a page.');
    else {
      const target = targetOf(files, url);
      const anchor = decoded(url.hash.slice(1));
      if (target === undefined) yield finding('link-exists', 'leads to no file of the site.');
      else if (typeof target === 'string' && anchor !== '' && anchor !== 'top' && idsOf(target)?.has(anchor) === false)
        yield finding('anchor-exists', `leads to an id that ${target} does not have.`);
    }
  }
}

const assetsOf = ({ tag, attributes }: PageElement): string[] => {
  const one = tag === 'link' ? attributes.get('href') : attributes.get('src');
  const set = (attributes.get('srcset') ?? '').split(',').map((part) => part.trim().split(/\s/, 1)[0] ?? '');
  const isPage = tag === 'link' && /\b(?:canonical|alternate|preconnect|dns-prefetch)\b/.test(attributes.get('rel') ?? '');
  return [...(one === undefined || isPage ? [] : [one]), ...set, attributes.get('poster') ?? ''].filter((text) => text !== '');
};

/** Images, styles, scripts and media of this site exist. */
export function* checkAssets({ path, elements }: ParsedPage, files: SiteFiles): Generator<Finding> {
  for (const element of elements) {
    for (const reference of assetsOf(element)) if (isMissing(path, reference, files)) yield missing(path, reference, element.line);
  }
}

/** A URL in brackets holds no bracket, so that no search goes on into the next URL. */
const styleUrl = /url\(([^()]*)\)/gi;
const styleImport = /@import\s+["']([^"']+)["']/gi;
const isQuoted = (text: string) => text.length > 1 && (text[0] === '"' || text[0] === "'") && text.at(-1) === text[0];

/** Everything that a style sheet loads by `url(…)` or `@import` exists. */
export function* checkStyleAssets(path: string, css: string, files: SiteFiles): Generator<Finding> {
  for (const expression of [styleUrl, styleImport]) {
    for (const [, found = ''] of css.matchAll(expression)) {
      const text = found.trim();
      const reference = isQuoted(text) ? text.slice(1, -1) : text;
      if (reference !== '' && isMissing(path, reference, files)) yield missing(path, reference, 1);
    }
  }
}

function isMissing(path: string, reference: string, files: SiteFiles): boolean {
  if (/^\s*data:/i.test(reference) || reference.startsWith('#')) return false;
  const url = resolve(path, reference);
  return url === undefined || targetOf(files, url) === undefined;
}

const missing = (path: string, reference: string, line: number): Finding => ({
  path,
  rule: 'asset-exists',
  line,
  message: `"${shown(reference)}" is not a file of the site.`,
});

/** The foreign origin of a reference, or undefined if it is on this site. */
export function foreignOrigin(path: string, reference: string): string | undefined {
  const url = resolve(path, reference);
  return url === undefined || url.origin === here || url.protocol === 'data:' ? undefined : url.origin;
}
