/** Stands for this origin while a path is parsed. */
const here = 'http://here.invalid';

/**
 * The path to open after sign-in: `next` if it stays on this origin, else the home page. It is parsed as a browser
 * parses it, which drops tabs and reads `\` as `/`: `/<tab>/evil.example` is another host.
 */
export function nextPath(search: URLSearchParams): string {
  const next = search.get('next') ?? '/';
  const { origin, pathname, search: query, hash } = URL.canParse(next, here) ? new URL(next, here) : new URL(here);
  return next.startsWith('/') && origin === here && !pathname.startsWith('//') ? `${pathname}${query}${hash}` : '/';
}
