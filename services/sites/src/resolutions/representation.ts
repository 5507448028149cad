import type { Encoding } from '@webkiln/http';
import { type HeaderRules, isHashedName } from '@webkiln/site-rules';

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
export interface ListedFile {
  readonly path: string;
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
export function createRepresentation(orgId: string, file: ListedFile, encoding: Encoding, metadataOf: MetadataOf): Representation {
  const { path, sha256, size, content_type: type, encodings } = file;
  const etag = encoding === '' ? `"${sha256}"` : `"${sha256}-${encoding}"`;
  const vary = encodings.length > 0 ? ['Vary', 'Accept-Encoding'] : [];
  return {
    key: `${orgId}/${sha256}/${encoding}`,
    orgId,
    sha256,
    encoding,
    maxBytes: size,
    etag,
    headers: ['ETag', etag, ...metadataOf(file), ...vary, ...untrustedHeaders],
    contentHeaders: ['Content-Type', type, 'Accept-Ranges', 'bytes', ...contentEncoding(path, encoding)],
  };
}

/** An `.svgz` is compressed as it is, and no browser shows it without being told. */
const contentEncoding = (path: string, encoding: Encoding) => {
  const coding = encoding === '' && /\.svgz$/i.test(path) ? 'gzip' : encoding;
  return coding === '' ? [] : ['Content-Encoding', coding];
};

/** Returns headers of a file that depend on where it is served. Names and values, alternating. */
export type MetadataOf = (file: ListedFile) => readonly string[];

/**
 * For published sites. The bytes under a name with a hash of them never change. All else is revalidated on every use,
 * which ETags make cheap: with the style or picture of the last deploy a new page would look broken. Other sites may
 * load everything but pages, as modules, fonts and manifests need: it is public, and asked for without cookies.
 */
export const publicFile: MetadataOf = ({ path, content_type }) => {
  const caching = isHashedName(path) ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate';
  return ['Cache-Control', caching, ...(content_type.startsWith('text/html') ? [] : ['Access-Control-Allow-Origin', '*'])];
};

/**
 * For drafts. Only the visitor's own browser may cache them, and revalidates on every use: each change shows at once,
 * and large unchanged images are not downloaded again.
 */
export const draftFile: MetadataOf = () => ['Cache-Control', 'private, no-cache'];

/** What a site's own `_headers` sets for a path, by names in lower case; an empty value takes a header away. */
export type OwnHeaders = NonNullable<ReturnType<HeaderRules['headersOf']>>;

/** The same bytes with the site's own headers in place of the platform's of that name. */
export function withOwnHeaders(representation: Representation, own: OwnHeaders): Representation {
  const kept = (headers: readonly string[]) => headers.filter((_, at) => !own.has((headers[at - (at % 2)] ?? '').toLowerCase()));
  const added = [...own].flatMap(([key, { name, value }]) => (value === '' || key === 'content-type' ? [] : [name, value]));
  const type = own.get('content-type')?.value || undefined;
  return {
    ...representation,
    headers: [...kept(representation.headers), ...added],
    contentHeaders: type === undefined ? representation.contentHeaders : ['Content-Type', type, ...kept(representation.contentHeaders)],
  };
}
