/** The files of a site by their path relative to its root (`about.html`). A map, because any path is a valid name. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;

/** Decodes a file as UTF-8; bytes that are not UTF-8 become U+FFFD. */
export const textOf = (content: string | Uint8Array): string => (typeof content === 'string' ? content : new TextDecoder().decode(content));

export const bytesOf = (content: string | Uint8Array): number =>
  typeof content === 'string' ? new TextEncoder().encode(content).length : content.length;

/** Resolves a path of a URL to a file as the service `sites` does (docs/sites.md, "What a path shows"). */
export function fileAt(files: SiteFiles, urlPath: string): string | undefined {
  const plain = withoutOuterSlashes(urlPath);
  const candidates = plain === '' ? ['index.html'] : [plain, `${plain}.html`, `${plain}/index.html`];
  return candidates.find((path) => files.has(path));
}

/** A loop, because the expression for slashes at the end is quadratic in the slashes of the middle. */
function withoutOuterSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}
