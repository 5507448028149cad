import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** A content encoding; empty for none. */
export type Encoding = '' | 'br' | 'gzip';

/** Smallest first, which decides between encodings of equal quality. */
const preferred = ['br', 'gzip', 'identity'];

/** Cached: browsers send few different headers, and parsing one costs more than the rest of a request. */
const chosen = new LRUCache<string, Encoding>({ max: 500 });
const rememberedLength = 100;

/** The encoding for this Accept-Encoding header (RFC 9110 §12.5.3); none if the header refuses all available ones. */
export function acceptedEncoding(header: string | undefined, available: readonly Encoding[]): Encoding {
  if (header === undefined || available.length === 0) return '';
  const key = `${available} ${header}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const [best] = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...available, 'identity'], { preferred });
  const encoding = best === 'br' || best === 'gzip' ? best : '';
  if (header.length <= rememberedLength) chosen.set(key, encoding);
  return encoding;
}

/** True if `If-None-Match` lists the entity tag (RFC 9110 §13.1.2: weak comparison). */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}
