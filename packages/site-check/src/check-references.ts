import type { Finding } from './finding.ts';
import { type ParsedPage, parsePage } from './parsed-page.ts';
import { checkAssets, checkLinks, checkStyleAssets } from './rules/links.ts';
import { type SiteFiles, textOf } from './site-files.ts';

const here = 'http://site.invalid/';
const reported: ReadonlySet<string> = new Set(['link-exists', 'asset-exists']);

interface Answers {
  /** True if something beside the files answers a path, which begins without a slash: for a link, or an asset. */
  isAnswered(path: string, use: 'link' | 'asset'): boolean;
  maxFindings: number;
}

/**
 * Finds links and assets of the site that lead to no file of it: in the pages and styles of `files` that come with
 * their content. Others are empty.
 */
export function checkReferences(files: SiteFiles, { isAnswered, maxFindings }: Answers): Finding[] {
  const forLinks = new AnsweredFiles(files, (path) => isAnswered(path, 'link'));
  const forAssets = new AnsweredFiles(files, (path) => isAnswered(path, 'asset'));
  function* findings(): Generator<Finding> {
    for (const [path, content] of files) {
      if (content.length === 0) continue;
      if (/\.css$/i.test(path)) yield* checkStyleAssets(path, textOf(content), forAssets);
      if (!/\.html?$/i.test(path)) continue;
      const page = atBase(parsePage(path, textOf(content)));
      if (page === undefined) continue;
      for (const found of checkLinks(page, forLinks, () => undefined)) yield { ...found, path };
      for (const found of checkAssets(page, forAssets)) yield { ...found, path };
    }
  }
  return findings()
    .filter(({ rule }) => reported.has(rule))
    .take(maxFindings)
    .toArray();
}

/** The page where its `<base>` says that it is. Undefined if that is another site. */
function atBase(page: ParsedPage | undefined): ParsedPage | undefined {
  const href = page?.elements.find(({ tag, attributes }) => tag === 'base' && attributes.has('href'))?.attributes.get('href');
  if (page === undefined || href === undefined) return page;
  const url = URL.parse(href, here + page.path);
  return url?.href.startsWith(here)
    ? { ...page, path: `${url.pathname.slice(1, url.pathname.lastIndexOf('/') + 1)}index.html` }
    : undefined;
}

/** The files of a site, and what else is answered there. */
class AnsweredFiles extends Map<string, string | Uint8Array> {
  readonly #isAnswered: (path: string) => boolean;

  constructor(files: SiteFiles, isAnswered: (path: string) => boolean) {
    super();
    for (const [path, content] of files) this.set(path.normalize('NFC'), content);
    this.#isAnswered = isAnswered;
  }

  override has(path: string): boolean {
    return super.has(path.normalize('NFC')) || this.#isAnswered(path);
  }
}
