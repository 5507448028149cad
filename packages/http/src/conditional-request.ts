import type { IncomingHttpHeaders } from 'node:http';

/** Whether the caller has these bytes already (RFC 9110 §13.1.2: a weak comparison). */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}
