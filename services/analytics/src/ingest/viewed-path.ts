import { requestTarget } from '@webkiln/runtime';

const longestPath = 512;
const page = 'index.html';

/** What a path must be, for whoever sent another one. */
export const pathForm = `must be the path of a page, as in /about, with at most ${longestPath} characters`;

/**
 * The page that a path of the site stands for, decoded, without query and fragment, and "/docs/" for "/docs/index.html", which is the same page;
 * undefined for what is no path that a browser would ask for.
 */
export function viewedPath(written: string): string | undefined {
  const fragment = written.indexOf('#');
  const path = requestTarget(fragment === -1 ? written : written.slice(0, fragment))?.path;
  if (path === undefined || path.length > longestPath || !path.isWellFormed()) return undefined;
  return path.endsWith(`/${page}`) ? path.slice(0, -page.length) : path;
}
