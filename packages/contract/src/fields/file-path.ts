const maxPathBytes = 1024;
const reserved = new Set(['t.js', 't.gif', 'api/collect']);
const reservedFolder = '_forms/';

/**
 * The problem with a file's path in a site, as the end of a sentence ("must be relative"), or undefined. Paths are
 * relative to the site's root, `/`-separated and already normalised, at most 1,024 bytes of UTF-8.
 */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (Buffer.byteLength(path) > maxPathBytes) return `must have at most ${maxPathBytes} bytes`;
  if (!path.isWellFormed()) return 'must be valid Unicode text';
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters';
  if (path.includes('\\')) return 'must separate folders with "/"';
  if (path.startsWith('/')) return 'must be relative';
  if (path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return 'must be normalised: no "..", "." or empty segments';
  }
  if (reserved.has(path) || path.startsWith(reservedFolder)) return 'is reserved for the platform';
  return undefined;
}
