interface Target {
  /** Decoded. */
  readonly path: string;
  /** "?a=b" as received, or empty. */
  readonly query: string;
}

const hiddenSeparators = /%2f|%5c/i;
const dotSegments = /(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * Path and query of a request. Undefined for a path that no browser sends: malformed, or with dot segments or encoded
 * separators.
 */
export function requestTarget(url: string): Target | undefined {
  const end = url.indexOf('?');
  const raw = end === -1 ? url : url.slice(0, end);
  const path = raw.includes('%') ? decoded(raw) : raw;
  if (path === undefined || !path.startsWith('/') || path.includes('\\') || dotSegments.test(path) || /\p{Cc}/u.test(path))
    return undefined;
  return { path, query: end === -1 ? '' : url.slice(end) };
}

function decoded(path: string): string | undefined {
  if (hiddenSeparators.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // no UTF-8, overlong, or a lone surrogate
  }
}
