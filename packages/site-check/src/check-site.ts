import type { Finding } from './finding.ts';
import { parsePage } from './parsed-page.ts';
import { checkAssets, checkLinks, checkStyleAssets } from './rules/links.ts';
import { checkOrigins, checkStyleOrigins } from './rules/origins.ts';
import { checkAccessibility, checkParsing, checkStructure } from './rules/structure.ts';
import { bytesOf, type SiteFiles, textOf } from './site-files.ts';

const maxFindings = 200;
const maxFiles = 2000;
/** Pages above this size are not parsed: time and memory of a check stay bounded. */
const maxTextBytes = 512 * 1024;
const maxFileBytes = 8 * 1024 * 1024;
const isText = (path: string) => /\.(?:html?|css|js|mjs|svg|json)$/i.test(path);
const maxBytesOf = (path: string) => (isText(path) ? maxTextBytes : maxFileBytes);

function checkSizes(files: SiteFiles): Finding[] {
  const tooLarge = [...files].filter(([path, content]) => bytesOf(content) > maxBytesOf(path));
  const findings = tooLarge.map(([path]): Finding => {
    return { path, rule: 'size-limit', message: `The file is larger than ${maxBytesOf(path) / 1024} KB.` };
  });
  return files.size <= maxFiles
    ? findings
    : [{ path: '', rule: 'size-limit', message: `The site has more than ${maxFiles} files.` }, ...findings];
}

/**
 * Checks the files of a site before anybody sees it: HTML, links, anchors, assets, labels, headings, origins, sizes.
 * Reads nothing but `files`. Returns at most 200 findings in the order of the files; none means that the site is whole.
 * @param options.allowedOrigins origins that the user named, for example `https://maps.example.com`
 */
export function checkSite(files: SiteFiles, options: { readonly allowedOrigins?: readonly string[] } = {}): Finding[] {
  const allowed = new Set(options.allowedOrigins);
  const sizes = checkSizes(files);
  const unread = new Set(sizes.map(({ path }) => path));
  const texts = [...files].slice(0, maxFiles).filter(([path]) => isText(path) && !unread.has(path));
  const pages = new Map(
    texts.filter(([path]) => /\.html?$/i.test(path)).map(([path, content]) => [path, parsePage(path, textOf(content))]),
  );
  const styles = texts.filter(([path]) => /\.css$/i.test(path));
  const missing: Finding[] = files.has('index.html')
    ? []
    : [{ path: 'index.html', rule: 'index-exists', message: 'The site has no index.html: without it, its address shows nothing.' }];
  return [
    ...missing,
    ...sizes,
    ...[...pages.values()].flatMap((page) => [
      ...checkParsing(page),
      ...checkStructure(page),
      ...checkAccessibility(page),
      ...checkLinks(page, pages, files),
      ...checkAssets(page, files),
      ...checkOrigins(page, allowed),
    ]),
    ...styles.flatMap(([path, content]) => [
      ...checkStyleAssets(path, textOf(content), files),
      ...checkStyleOrigins(path, textOf(content), allowed),
    ]),
  ].slice(0, maxFindings);
}
