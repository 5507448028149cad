import { createHash } from 'node:crypto';
import { drawImages } from '../images/images.ts';
import { type Site, specificationPath } from '../site.ts';
import { styleSheet } from '../styles/style-sheet.ts';
import { renderPage } from './page.ts';
import { pathOf } from './pages.ts';

export const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Renders everything but the specification. Equal sites give equal files. */
export function renderFiles(site: Site): Map<string, string> {
  const pages = site.pages.map((page): [string, string] => [pathOf(page), renderPage(site, page)]);
  return new Map([...pages, ['style.css', styleSheet(site)], ...drawImages(site)]);
}

/** The specification with the hashes of the files that were rendered from it. */
export const withHashes = (site: Site, rendered: ReadonlyMap<string, string>): Site => ({
  ...site,
  hashes: Object.fromEntries([...rendered].map(([path, content]) => [path, hashOf(content)])),
});

export const specificationFile = (site: Site): [string, string] => [specificationPath, `${JSON.stringify(site, undefined, 2)}\n`];
