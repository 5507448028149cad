import { requestTarget } from '@webkiln/http';

const maxPathLength = 512;
const page = 'index.html';

/** The requirement in error messages. */
export const pathRequirement = `must be the path of a page, as in /about, with at most ${maxPathLength} characters`;

/**
 * Normalizes a page's path: decoded, without query and fragment, "/docs/" for "/docs/index.html". Returns undefined
 * for a path that no browser would request.
 */
export function parsePagePath(written: string): string | undefined {
  const fragment = written.indexOf('#');
  const path = requestTarget(fragment === -1 ? written : written.slice(0, fragment))?.path;
  if (path === undefined || path.length > maxPathLength || !path.isWellFormed()) return undefined;
  return path.endsWith(`/${page}`) ? path.slice(0, -page.length) : path;
}
