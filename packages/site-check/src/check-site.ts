import type { Finding } from './finding.ts';
import { type ParsedPage, parsePage, tooComplex } from './parsed-page.ts';
import { checkAssets, checkLinks, checkStyleAssets } from './rules/links.ts';
import { checkOrigins, checkScriptOrigins, checkStyleOrigins } from './rules/origins.ts';
import { checkAccessibility, checkParsing, checkStructure } from './rules/structure.ts';
import { bytesOf, type SiteFiles, textOf } from './site-files.ts';

const maxFindings = 200;
const maxFiles = 2000;
/** Pages above this size are not parsed: time and memory of a check stay bounded. */
const maxTextBytes = 512 * 1024;
const maxFileBytes = 8 * 1024 * 1024;
const isText = (path: string) => /\.(?:html?|css|js|mjs|svg|json)$/i.test(path);
const isPage = (path: string) => /\.html?$/i.test(path);
const isStyle = (path: string) => /\.css$/i.test(path);
const isScript = (path: string) => /\.m?js$/i.test(path);
const maxBytesOf = (path: string) => (isText(path) ? maxTextBytes : maxFileBytes);
const isTooLarge = (path: string, content: string | Uint8Array) => bytesOf(content) > maxBytesOf(path);

interface Options {
  /** Origins that the user named, for example `https://maps.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/**
 * Checks the files of a site before anybody sees it: HTML, links, anchors, assets, labels, headings, origins, sizes.
 * Reads nothing but `files`. Returns at most 200 findings in the order of the files; none means that the site is whole.
 * Its work is linear in the size of the site, whatever the files hold.
 */
export const checkSite = (files: SiteFiles, options: Options = {}): Finding[] =>
  findingsOf(files, options, () => true)
    .take(maxFindings)
    .toArray();

interface Change {
  /** The site after the change. A file whose content does not matter is empty bytes. */
  readonly files: SiteFiles;
  /** What each changed file held before; undefined if there was none. */
  readonly before: ReadonlyMap<string, string | Uint8Array | undefined>;
}

/**
 * Finds what a change has broken: at most 200 findings that the site has after it and had not before. Reads the changed
 * files, and those that name one of them, as a link or image does.
 */
export function checkChange({ files, before }: Change, options: Options = {}): Finding[] {
  const names = new Set([...before].flatMap(([path, content]) => (content === undefined ? [] : namesOf(path))));
  const affected = new Map<string, boolean>();
  const isAffected = (path: string, content: string | Uint8Array): boolean => {
    const known = affected.get(path) ?? (before.has(path) || (names.size > 0 && namesAny(textOf(content), names)));
    affected.set(path, known);
    return known;
  };
  const filesBefore = new Map(files);
  for (const [path, content] of before) content === undefined ? filesBefore.delete(path) : filesBefore.set(path, content);
  const identity = ({ path, rule, message }: Finding) => JSON.stringify([path, rule, message]);
  const earlier = new Set(findingsOf(filesBefore, options, isAffected).map(identity));
  return findingsOf(files, options, isAffected)
    .filter((finding) => !earlier.has(identity(finding)))
    .take(maxFindings)
    .toArray();
}

/** The words of which a link to a file has one: its name with and without `.html`, or its folder's. */
function namesOf(path: string): string[] {
  if (path === 'index.html') return ['index.html', 'index', '#'];
  const name =
    path
      .replace(/\/index\.html$/, '')
      .split('/')
      .at(-1) ?? '';
  const names = [name, name.replace(/\.html$/, '')];
  return [...names, ...names.map(encodeURIComponent), ...names.flatMap((each) => each.match(word)?.[0] ?? [])];
}

const word = /#|[^\s"'()<>=#?/\\,;&]+/g;
const namesAny = (text: string, names: ReadonlySet<string>) => text.matchAll(word).some(([found]) => names.has(found));

function* findingsOf(
  files: SiteFiles,
  { allowedOrigins }: Options,
  isChecked: (path: string, content: string | Uint8Array) => boolean,
): Generator<Finding> {
  const allowed = new Set(allowedOrigins);
  if (!files.has('index.html'))
    yield { path: 'index.html', rule: 'index-exists', message: 'The site has no index.html: without it, its address shows nothing.' };
  if (files.size > maxFiles) yield { path: '', rule: 'size-limit', message: `The site has more than ${maxFiles} files.` };
  for (const [path, content] of files) {
    if (isTooLarge(path, content)) yield { path, rule: 'size-limit', message: `The file is larger than ${maxBytesOf(path) / 1024} KB.` };
  }
  const pages = new Pages(files);
  const checked = [...files].slice(0, maxFiles).filter((file) => isText(file[0]) && !isTooLarge(...file) && isChecked(...file));
  for (const [path] of checked.filter(([each]) => isPage(each))) {
    const page = pages.parse(path);
    if (page === undefined) {
      yield tooComplex(path);
      continue;
    }
    yield* checkParsing(page);
    yield* checkStructure(page);
    yield* checkAccessibility(page);
    yield* checkLinks(page, files, pages.idsOf);
    yield* checkAssets(page, files);
    yield* checkOrigins(page, allowed);
  }
  for (const [path, content] of checked.filter(([each]) => isStyle(each))) {
    yield* checkStyleAssets(path, textOf(content), files);
    yield* checkStyleOrigins(path, textOf(content), allowed);
  }
  for (const [path, content] of checked.filter(([each]) => isScript(each))) yield* checkScriptOrigins(path, textOf(content), allowed);
}

/** The pages of a site. Each is parsed twice at most: for its own check, and once for all anchors that lead to it. */
class Pages {
  readonly #files: SiteFiles;
  readonly #ids = new Map<string, ReadonlySet<string> | undefined>();

  constructor(files: SiteFiles) {
    this.#files = files;
  }

  /** Undefined if it is no page, or is too large or too complex to be parsed. */
  parse(path: string): ParsedPage | undefined {
    const content = this.#files.get(path);
    const page = content === undefined || !isPage(path) || isTooLarge(path, content) ? undefined : parsePage(path, textOf(content));
    this.#ids.set(path, page?.ids);
    return page;
  }

  readonly idsOf = (path: string): ReadonlySet<string> | undefined => (this.#ids.has(path) ? this.#ids.get(path) : this.parse(path)?.ids);
}

/**
 * Finds the first thing that a file loads from a foreign origin or sends there, after a change and not before. A page
 * that is too complex to tell counts as such a thing. Undefined if there is none.
 */
export function addedForeignCode(path: string, before: string, after: string, options: Options = {}): Finding | undefined {
  const allowed = new Set(options.allowedOrigins);
  const codeIn = (text: string): Iterable<Finding> | undefined => {
    if (isStyle(path)) return checkStyleOrigins(path, text, allowed);
    if (isScript(path)) return checkScriptOrigins(path, text, allowed);
    const page = isPage(path) ? parsePage(path, text) : undefined;
    return page === undefined ? undefined : checkOrigins(page, allowed);
  };
  const now = codeIn(after);
  if (now === undefined) return isPage(path) ? tooComplex(path) : undefined;
  const earlier = new Set(Array.from(codeIn(before) ?? [], ({ message }) => message));
  return Iterator.from(now).find(({ message }) => !earlier.has(message));
}
