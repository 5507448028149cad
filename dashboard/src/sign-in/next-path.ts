/** The path to open after sign-in: `next` if it stays on this origin, else the home page. */
export function nextPath(search: URLSearchParams): string {
  const next = search.get('next') ?? '/';
  return next.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
}
