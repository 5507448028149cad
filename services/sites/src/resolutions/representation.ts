import type { Encoding } from '@webkiln/http';

/** A representation of a file (RFC 9110 §3.2). Its bytes never change. */
export interface Representation {
  /** Identifies the bytes. */
  readonly key: string;
  readonly orgId: string;
  readonly sha256: string;
  readonly encoding: Encoding;
  /** The size of the unencoded file, which no encoding exceeds. */
  readonly maxBytes: number;
  readonly etag: string;
  /** Sent with 200 and 304 alike. Names and values, alternating. */
  readonly headers: readonly string[];
  /** Sent with the content only. Names and values, alternating. */
  readonly contentHeaders: readonly string[];
}

/** A file in the manifest of its deploy. */
interface ListedFile {
  readonly sha256: string;
  readonly size: number;
  readonly content_type: string;
  readonly encodings: readonly string[];
}

/**
 * Sites are untrusted content. Each is its own origin, in its own process where browsers can isolate it; content types
 * come from the manifest and are never sniffed. HSTS, framing and loading policies are left to the site's owner.
 */
const untrustedHeaders = ['X-Content-Type-Options', 'nosniff', 'Origin-Agent-Cluster', '?1'];

/** Precomputes all headers of a representation, so that no request has to. */
export function createRepresentation(orgId: string, file: ListedFile, encoding: Encoding, cacheControl: CacheControl): Representation {
  const { sha256, size, content_type: type, encodings } = file;
  const etag = encoding === '' ? `"${sha256}"` : `"${sha256}-${encoding}"`;
  const vary = encodings.length > 0 ? ['Vary', 'Accept-Encoding'] : [];
  return {
    key: `${orgId}/${sha256}/${encoding}`,
    orgId,
    sha256,
    encoding,
    maxBytes: size,
    etag,
    headers: ['ETag', etag, 'Cache-Control', cacheControl(type), ...vary, ...untrustedHeaders],
    contentHeaders: ['Content-Type', type, 'Accept-Ranges', 'bytes', ...(encoding === '' ? [] : ['Content-Encoding', encoding])],
  };
}

/** Returns the Cache-Control header of a file by its content type. */
export type CacheControl = (contentType: string) => string;

const mediaType = /^(image|font|audio|video)\//;

/**
 * For published sites. Pages, styles, scripts and data are revalidated on every use, which ETags make cheap. Their
 * names carry no version, so a new page with the cached style of the last deploy would look broken. Images, fonts and
 * films may be a little old without breaking anything, and are most of what a page loads.
 */
export const cacheControl: CacheControl = (contentType) =>
  mediaType.test(contentType) && !contentType.startsWith('image/svg') ? 'public, max-age=300' : 'public, max-age=0, must-revalidate';

/**
 * For drafts. Only the visitor's own browser may cache them, and revalidates on every use: each change shows at once,
 * and large unchanged images are not downloaded again.
 */
export const revalidated: CacheControl = () => 'private, no-cache';
