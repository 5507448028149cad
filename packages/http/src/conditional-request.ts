import type { IncomingHttpHeaders } from 'node:http';

/** True if `If-None-Match` lists the entity tag (RFC 9110 §13.1.2: weak comparison). */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}
