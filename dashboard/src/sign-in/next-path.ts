/** Where to go after signing in: the page that was asked for, never another origin's. */
export function nextPath(search: URLSearchParams): string {
  const next = search.get('next') ?? '/';
  return next.startsWith('/') && !next.startsWith('//') && !next.includes('\\') ? next : '/';
}
